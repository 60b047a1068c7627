"""What a student's cell may use without installing anything; runs in the browser and in CPython."""
