"""The built site in a real Chromium: what a reader, a student and a keyboard meet."""
