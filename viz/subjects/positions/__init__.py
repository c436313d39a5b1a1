"""Positional encodings: their numbers, their geometry, and their effect on a run."""
