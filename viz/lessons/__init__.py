"""Lessons that ask before they explain: their files, their questions about a run, the judging."""
