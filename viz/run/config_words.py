"""What the choices of a config are called, wherever a page names them."""

from typing import NamedTuple

from model.config import Positions, Tying


class PositionWords(NamedTuple):
    """One way to encode positions."""

    name: str
    """In a word or two."""
    origin: str
    """With the write-up that has it."""
    formula: str
    """In a table of differences."""
    numbers: str
    """What the numbers of the encoding are."""


POSITIONS: dict[Positions, PositionWords] = {
    "sinusoidal": PositionWords(
        "sinusoidal",
        "Paper: sine, cosine",
        "sine and cosine, base 10,000",
        "sines and cosines of many wavelengths",
    ),
    "double_sine": PositionWords(
        "double sine",
        "addnorm: sine, sine",
        "sine and sine, base 1,000, exponent doubled",
        "sines in every dimension, as one write-up has it",
    ),
    "single_frequency": PositionWords(
        "single frequency",
        "headlist: one frequency",
        "sine and cosine of one frequency",
        "one frequency for all dimensions, as one write-up has it",
    ),
    "learned": PositionWords(
        "learned", "Learned", "a learned vector for each position", "learned in training"
    ),
    "none": PositionWords("none", "None", "none", "zeros, for this variant has none"),
}

TYING: dict[Tying, str] = {
    "none": "none",
    "decoder": "target embedding = generator",
    "all": "both embeddings = generator",
}
