"""Everyday English to French: a beginner's sentences, by a grammar that writes and reads them."""

from sample_data.everyday.classes import content_words, english_classes, french_classes
from sample_data.everyday.constructions import construction, constructions
from sample_data.everyday.language import goes_together, rare_sentences, read, said, sentences
from sample_data.everyday.meanings import english_kinds
from sample_data.everyday.noun_forms import english_nouns, french_nouns
from sample_data.everyday.unknown import unknown_words

__all__ = [
    "construction",
    "constructions",
    "content_words",
    "english_classes",
    "english_kinds",
    "english_nouns",
    "french_classes",
    "french_nouns",
    "goes_together",
    "rare_sentences",
    "read",
    "said",
    "sentences",
    "unknown_words",
]
