"""Data from a browser either has the declared shape or is dropped."""

import json
from typing import Any, Literal, NotRequired, TypedDict

import pytest

from viz.pictures.arrivals import fits


class Sent(TypedDict):
    number: int
    word: Literal["on", "off"]
    names: NotRequired[list[str]]
    amount: NotRequired[float | None]


WHOLE = {"number": 3, "word": "on", "names": ["a"], "amount": 0.5}


@pytest.mark.parametrize(
    "changed",
    [{}, {"amount": None}, {"amount": 2}, {"names": []}, {"more": [1]}, {"number": -(10**400)}],
)
def test_what_has_the_shape_fits(changed: dict[str, Any]):
    assert fits(WHOLE | changed, Sent)


@pytest.mark.parametrize(
    "changed",
    [
        {"number": "3"},
        {"number": True},
        {"number": 3.0},
        {"number": None},
        {"word": "of"},
        {"word": ["on"]},
        {"names": "a"},
        {"names": [1]},
        {"amount": "1"},
        {"amount": json.loads("NaN")},
        {"amount": json.loads("-Infinity")},
        {"amount": 10**400},
        {"amount": False},
    ],
    ids=str,
)
def test_what_has_another_shape_does_not(changed: dict[str, Any]):
    assert not fits(WHOLE | changed, Sent)


@pytest.mark.parametrize("value", [None, 1, "number", [], [WHOLE], {}, {"number": 3}])
def test_what_lacks_fields_does_not_fit(value: object):
    assert not fits(value, Sent)


@pytest.mark.parametrize(
    ("value", "shape", "is_fitting"),
    [({}, dict, True), ([], dict, False), ({1: 2}, Any, True), ("a", str, True), (1, str, False)],
)
def test_plain_shapes(value: object, shape: Any, is_fitting: bool):
    assert fits(value, shape) is is_fitting
