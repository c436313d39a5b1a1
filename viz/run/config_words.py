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
        "sinusoidal, in halves",
        "Marian: sines, then cosines",
        "all sines, then all cosines, base 10,000",
        "Sines and cosines of the position, with wavelengths from 2π to {longest:.0f} · 2π: all "
        "sines first, then all cosines.",
    ),
    "learned": PositionWords(
        "learned",
        "Learned",
        "a learned vector for each position",
        "A learned vector for each of {most} positions.",
    ),
    "rotary": PositionWords(
        "rotary",
        "Rotary (RoPE)",
        "queries and keys turned by their positions",
        "Nothing is added to the embeddings: in each attention, queries and keys are turned by an "
        "angle for each place, so that their product depends on how far apart they are.",
    ),
    "alibi": PositionWords(
        "ALiBi",
        "Linear biases (ALiBi)",
        "scores fall with the distance",
        "Nothing is added to the embeddings: in each attention, a score falls with the distance "
        "between query and key, at another rate in each head.",
    ),
    "relative": PositionWords(
        "relative",
        "T5: a number for each distance",
        "a learned number for each distance, added to the scores",
        "Nothing is added to the embeddings: in each attention, a learned number for the distance "
        "between query and key is added to their score, another in each head.",
    ),
    "none": PositionWords("none", "None", "none", "Zeros: this variant does not encode positions."),
}

TYING: dict[Tying, str] = {
    "none": "none",
    "decoder": "target embedding = generator",
    "all": "both embeddings = generator",
}
