"""Sentences of the What mattered page about what was measured."""
