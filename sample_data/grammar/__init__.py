"""Grammars that write a sentence in two languages at once, drawn at random or read from text."""

from sample_data.grammar.grammar import Grammar
from sample_data.grammar.lexicon import Entry, French
from sample_data.grammar.reading import Reading

__all__ = ["Entry", "French", "Grammar", "Reading"]
