"""Lessons that ask before they tell: files, what they ask of a run, and how a guess is judged."""
