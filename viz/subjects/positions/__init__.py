"""Positional encodings: their numbers, their geometry, and what they do to a run."""
