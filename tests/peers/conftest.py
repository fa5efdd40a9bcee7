"""What is imported to look for doctests needs no extra."""

collect_ignore = ["noise_questions.py"]
