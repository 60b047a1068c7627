"""Scripts that make what the labs of lessons are recorded from, and tests of what they made."""
