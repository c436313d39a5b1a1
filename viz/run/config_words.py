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
    "sinusoidal_halves": PositionWords(
        "sinusoidal halves",
        "Marian: sines, then cosines",
        "sines, then cosines, base 10,000",
        "Sines and cosines of the position, with wavelengths from 2π to {longest:.0f} · 2π: all "
        "sines stand before all cosines.",
    ),
    "learned": PositionWords(
        "learned",
        "Learned",
        "a learned vector for each position",
        "A learned vector for each of {most} positions.",
    ),
    "rotary": PositionWords(
        "rotary",
        "Rotary",
        "queries and keys turned by the position",
        "Zeros: positions turn the queries and keys of each attention instead.",
    ),
    "alibi": PositionWords(
        "linear bias",
        "ALiBi",
        "scores that fall with the distance",
        "Zeros: scores fall with the distance between two positions instead.",
    ),
    "relative": PositionWords(
        "relative",
        "T5: relative",
        "a learned number for each distance",
        "Zeros: a learned number for each distance is added to the scores instead.",
    ),
    "none": PositionWords("none", "None", "none", "Zeros: this variant does not encode positions."),
}

TYING: dict[Tying, str] = {
    "none": "none",
    "decoder": "target embedding = generator",
    "all": "both embeddings = generator",
}
