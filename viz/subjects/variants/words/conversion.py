"""What is said of a checkpoint converted into another variant."""

from texts import say
from viz.pictures.numbers import number_text
from viz.subjects.variants.convert import Conversion

_ROUNDING = 3e-5
_EPS_MATTERS = 0.01
"""Largest difference that two values of eps beside a variance of about 1 make in a small model."""


def say_conversion(found: Conversion) -> str:
    """Describe how equal the two models are."""
    difference = number_text(found.log_probability_difference)
    largest = max(found.log_probability_difference, found.output_difference)
    if {"norm", "norm_eps"} & set(found.fields) and largest < _EPS_MATTERS:
        return say("variants.same_up_to_eps", difference=difference)
    if largest < _ROUNDING:
        return say("variants.same_but_rounding", difference=difference)
    return say("variants.not_the_same", difference=difference)
