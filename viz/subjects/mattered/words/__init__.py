"""Sentences of the What mattered page about the measurements."""
