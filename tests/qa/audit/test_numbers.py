import math

import numpy as np
import pytest

from qa.audit.ledger import Ledger
from qa.audit.numbers import check_stated, most, nearest, read_number, says
from qa.audit.reference.measures import entropy_bits, head_measures, jensen_shannon
from qa.audit.truth import State


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("87 %", 0.865, 0.875),
        (".07", 0.065, 0.075),
        ("−1,024.5", -1024.55, -1024.45),
        ("3e−7", 2.5e-7, 3.5e-7),
        ("under 0.1 %", 0.0, 0.001),
        ("over 99.9 %", 0.999, 1.0),
        ("−∞", -math.inf, -math.inf),
    ],
)
def test_a_number_says_of_what_it_is_a_rounding(text: str, low: float, high: float):
    assert read_number(text) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("text", "computed", "right"),
    [
        ("87.5 %", 0.87549, True),
        ("87.5 %", 0.87561, False),
        (".9030", 0.90304, True),
        (".9030", 0.90311, False),
        ("12.3", 12.2, False),
        ("no number", 1.0, False),
    ],
)
def test_a_rounding_is_judged_by_its_last_digit(text: str, computed: float, right: bool):
    ledger = Ledger("a page", "a state")
    assert check_stated(ledger, "a number", text, computed, place="here") == right
    assert len(ledger.faults) == (not right)
    assert all(f.page == "a page" and f.where.startswith("a state, here") for f in ledger.faults)


def test_what_is_off_is_named_with_its_place_and_counted():
    ledger = Ledger("attention", "a run")
    seen = np.zeros((2, 3))
    ledger.numbers("weights", seen, seen, 1e-6, "a head")
    seen[1, 2] = 0.25
    ledger.numbers("weights", seen, np.zeros((2, 3)), 1e-6, "a head")
    ledger.numbers("weights", [math.nan], [0.5], 1.0)
    assert [str(fault) for fault in ledger.faults] == [
        "attention: weights [a run, a head (1, 2)]: seen 0.25, computed 0",
        "attention: weights [a run, (0,)]: seen nan, computed 0.5",
    ]
    assert ledger.values == 13
    assert "| attention | weights | 13 | inf | 2 |" in ledger.table()


def test_each_group_of_a_sentence_is_judged_by_its_kind():
    ledger = Ledger("a page", "a state")
    text = "To write chat, head 2 of 1,024 reads cat most: 87.5 %."
    pattern = r"To write (\w+), head (\d+) of <#> reads (\w+) most: <%>\."
    right = ("w", "chat"), ("h", 2), ("n", 1024), ("r", ["dog", "cat"]), ("s", 0.87549)
    assert says(ledger, text, pattern, *right)
    assert ledger.values == 5
    assert not ledger.faults
    wrong = ("w", "chien"), ("h", 1), ("n", 1025), ("r", ["dog"]), ("s", 0.8)
    assert says(ledger, text, pattern, *wrong)
    assert [fault.what for fault in ledger.faults] == ["w", "h", "n", "r", "s"]
    assert says(ledger, text, "It reads <#>", missing="what it reads") is None
    assert ledger.faults[-1].what == "what it reads"


def test_of_several_numbers_the_one_that_is_meant_and_the_largest():
    assert nearest([0.1, 0.52, 0.9], "50 %") == 0.52
    assert most(["a", "b", "c"], [0.5, 0.2, 0.5 - 1e-7]) == ["a", "c"]


def test_measures_by_hand():
    rows = np.asarray([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]])
    found = head_measures(rows, np.tril(np.ones((3, 3), bool)), is_cross=False)
    assert found["entropy"] == pytest.approx(2 / 3)
    assert found["previous"] == pytest.approx(0.5)  # .5 and .5: the first row has no choice
    assert found["same"] == pytest.approx(0.5)
    assert entropy_bits(np.full(8, 1 / 8)) == pytest.approx(3)
    assert jensen_shannon(np.asarray([1.0, 0]), np.asarray([0, 1.0])) == pytest.approx(1)


def test_a_state_is_an_address():
    assert State("a", "b c", changes="zero!x;h1").query(kind="cross-attention") == {
        "checkpoint": "a", "source": "b c", "edits": "zero!x;h1", "kind": "cross-attention",
    }  # fmt: skip
