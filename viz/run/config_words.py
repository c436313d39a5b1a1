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
    sentence: str
    """What the numbers are; with `longest` wavelength over 2π, and the `most` positions learned."""


POSITIONS: dict[Positions, PositionWords] = {
    "sinusoidal": PositionWords(
        "sinusoidal",
        "Paper: sine, cosine",
        "sine and cosine, base 10,000",
        "Sines and cosines of the position, with wavelengths from 2π to {longest:.0f} · 2π.",
    ),
    "double_sine": PositionWords(
        "double sine",
        "addnorm: sine, sine",
        "sine and sine, base 1,000, exponent doubled",
        "A sine of the position in every dimension, without the cosine beside it.",
    ),
    "single_frequency": PositionWords(
        "single frequency",
        "headlist: one frequency",
        "sine and cosine of one frequency",
        "Sine and cosine of the position itself: one wavelength in all dimensions.",
    ),
    "learned": PositionWords(
        "learned",
        "Learned",
        "a learned vector for each position",
        "A learned vector for each of {most} positions.",
    ),
    "sinusoidal_halves": PositionWords(
        "sinusoidal halves",
        "Marian: sines, then cosines",
        "sine and cosine, base 10,000, all sines first",
        "The paper's sines and cosines, all sines before all cosines.",
    ),
    "rotary": PositionWords(
        "rotary",
        "Rotary",
        "queries and keys are turned",
        "Zeros: queries and keys are turned by their position instead.",
    ),
    "alibi": PositionWords(
        "ALiBi",
        "ALiBi",
        "scores fall with the distance",
        "Zeros: the scores fall with the distance instead.",
    ),
    "relative": PositionWords(
        "relative",
        "Relative, learned",
        "a learned number for each distance, added to the scores",
        "Zeros: a learned number for each distance is added to the scores instead.",
    ),
    "none": PositionWords("none", "None", "none", "Zeros: this variant does not encode positions."),
}

TYING: dict[Tying, str] = {
    "none": "none",
    "decoder": "target embedding = generator",
    "all": "both embeddings = generator",
}
