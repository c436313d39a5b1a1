"""What is said of a checkpoint converted into another variant."""

from viz.pictures.numbers import number_text
from viz.subjects.variants.convert import Conversion

_ROUNDING = 3e-5
_EPS_MATTERS = 0.01
"""Largest difference that two values of eps beside a variance of about 1 make in a small model."""

STEPS = {
    "output": "the same logits, handed on in another form: nothing to change",
    "norm": (
        "√((n − 1)/n), by which the two norms differ, folded into the weight of each norm; the "
        "same up to eps"
    ),
    "norm_eps": "the same weights; the same up to eps",
    "attention_bias": (
        "biases of zero added, or dropped where they are zero; those of the keys never count"
    ),
    "scale_embeddings": "√d_model folded into both embedding matrices",
    "tying": "one matrix copied for each use, or equal ones shared",
    "mask_fill": "the same weights; the same wherever a row has a key that it may read",
    "positions": "the formula's values written into the table that is learned",
    "max_length": "a formula has no limit: nothing to change",
    "dropout": "acts only during training: nothing to change",
    "dropout_at": "acts only during training: nothing to change",
}
"""What was done about each field of the config that differs."""


def say_conversion(found: Conversion) -> str:
    """Say how equal the two models are."""
    difference = number_text(found.log_probability_difference)
    measured = f"log-probabilities differ by at most {difference}"
    largest = max(found.log_probability_difference, found.output_difference)
    if {"norm", "norm_eps"} & set(found.fields) and largest < _EPS_MATTERS:
        return f"The same up to eps and rounding: {measured}."
    if largest < _ROUNDING:
        return f"The same but for rounding: {measured}."
    return f"Not the same: {measured}."
