"""English to French, from a grammar of our own that gives gold word alignments."""

from sample_data.english_french.classes import content_words, english_classes, french_classes
from sample_data.english_french.grammar import sentences

__all__ = ["content_words", "english_classes", "french_classes", "sentences"]
