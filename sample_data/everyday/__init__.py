"""Everyday English to French: what a beginner says, by one grammar that both writes and reads it."""

from sample_data.everyday.language import read, sentences

__all__ = ["read", "sentences"]
