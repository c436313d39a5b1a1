import math

import numpy as np
import pytest

from qa.audit.numbers import is_even, most, nearest, read_number
from qa.audit.reference.measures import entropy_bits, head_measures
from qa.audit.truth import State
from qa.audit.visit import Visit


@pytest.fixture
def visit() -> Visit:
    return Visit(None, "", "attention", State("a checkpoint", "a text"), None)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("87%", 0.865, 0.875),
        (".07", 0.065, 0.075),
        ("−1,024.5", -1024.55, -1024.45),
        ("3e−7", 2.5e-7, 3.5e-7),
        ("< 0.1%", 0.0, 0.001),
        ("> 99.9%", 0.999, 1.0),
        ("−∞", -math.inf, -math.inf),
    ],
)
def test_a_number_says_of_what_it_is_a_rounding(text: str, low: float, high: float):
    assert read_number(text) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("row", "allowed", "even"),
    [
        ([0.28, 0.24, 0.24, 0.24], 4, True),  # the mean of the others is 0.24: 1.17 times as much
        ([0.37, 0.21, 0.21, 0.21], 4, False),  # 1.76 times as much
        ([0.37, 0.63, 0, 0], 2, False),  # the mask allows two
        ([0.55, 0.45, 0, 0], 2, True),
        ([1, 0], 1, False),  # only one token is allowed
        ([0.6 + 1e-6, 0.4 - 1e-6], 2, None),  # 1.5 times as much, in float32
    ],
)
def test_a_row_is_even_by_the_mean_of_what_is_not_read_most(
    row: list[float], allowed: int, even: bool | None
):
    assert is_even(row, allowed) is even


@pytest.mark.parametrize(
    ("text", "computed", "right"),
    [
        ("87.5%", 0.87549, True),
        ("87.5%", 0.87561, False),
        (".9030", 0.90304, True),
        (".9030", 0.90311, False),
        ("12.3", 12.2, False),
        ("no number", 1.0, False),
    ],
)
def test_a_rounding_is_judged_by_its_last_digit(
    visit: Visit, text: str, computed: float, right: bool
):
    assert visit.at("here").stated("a number", text, computed) == right
    assert len(visit.ledger.faults) == (not right)
    place = "attention: a number [a checkpoint, “a text”, here"
    assert all(fault.startswith(place) for fault in visit.ledger.faults)


def test_what_is_off_is_named_with_its_place_and_counted(visit: Visit):
    seen = np.zeros((2, 3))
    visit.numbers("weights", seen, seen, 1e-6, "a head")
    seen[1, 2] = 0.25
    visit.numbers("weights", seen, np.zeros((2, 3)), 1e-6, "a head")
    visit.numbers("weights", [math.nan], [0.5], 1.0)
    assert visit.ledger.faults == [
        "attention: weights [a checkpoint, “a text”, a head (1, 2)]: seen 0.25, computed 0",
        "attention: weights [a checkpoint, “a text”, (0,)]: seen nan, computed 0.5",
    ]
    assert visit.ledger.values == 13
    assert "| attention | weights | 13 | inf | 2 |" in visit.ledger.table()


def test_each_group_of_a_sentence_is_judged_by_its_kind(visit: Visit):
    text = "To write chat, head 2 of 1,024 reads cat most: 87.5%."
    pattern = r"To write (\w+), head (\d+) of <#> reads (\w+) most: <%>\."
    right = ("w", "chat"), ("h", 2), ("n", 1024), ("r", ["dog", "cat"]), ("s", 0.87549)
    assert visit.says(text, pattern, *right)
    assert visit.ledger.values == 5
    assert not visit.ledger.faults
    wrong = ("w", "chien"), ("h", 1), ("n", 1025), ("r", ["dog"]), ("s", 0.8)
    assert visit.says(text, pattern, *wrong)
    assert [fault.split()[1] for fault in visit.ledger.faults] == ["w", "h", "n", "r", "s"]
    assert visit.says(text, "It reads <#>", missing="what it reads") is None
    assert visit.ledger.faults[-1].startswith("attention: what it reads [")


def test_a_table_is_held_cell_by_cell_with_its_names(visit: Visit):
    cells = [["", "le", "chat"], ["the", "0.25", "0, masked"], ["cat", "0.5", "0.26"]]
    values, mask = np.array([[0.25, 0.0], [0.5, 0.25]]), np.array([[True, False], [True, True]])
    rows, columns = ["the", "cat"], ["le", "chat"]
    visit.matrix("a stage", cells, values, rows=rows, columns=columns, mask=mask)
    assert [fault.partition("[")[0] for fault in visit.ledger.faults] == ["attention: a stage "]
    assert "row 1, column 1 (0.26)" in visit.ledger.faults[0]
    visit.matrix("a stage", [], values)
    assert "nothing" in visit.ledger.faults[-1]


def test_of_several_numbers_the_one_that_is_meant_and_the_largest():
    assert nearest([0.1, 0.52, 0.9], "50%") == 0.52
    assert most(["a", "b", "c"], [0.5, 0.2, 0.5 - 1e-7]) == ["a", "c"]


def test_measures_by_hand():
    rows = np.asarray([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]])
    found = head_measures(rows, np.tril(np.ones((3, 3), bool)), is_cross=False)
    assert found["entropy"] == pytest.approx(2 / 3)
    assert found["previous"] == pytest.approx(0.5)  # .5 and .5: the first row has only one token
    assert found["same"] == pytest.approx(0.5)
    assert entropy_bits(np.full(8, 1 / 8)) == pytest.approx(3)


def test_a_state_is_an_address():
    assert State("a", "b c", changes="zero!x;h1").query(kind="cross-attention") == {
        "checkpoint": "a", "source": "b c", "edits": "zero!x;h1", "kind": "cross-attention",
    }  # fmt: skip


def test_a_sentence_that_no_page_has_is_named(visit: Visit):
    for text in ("the cat reads itself", "the cat reads animal most: 87%"):
        visit.says(text, "reads (.+) most: <%>", ("what is read", "animal"), ("share", 0.87))
        visit.says(text, "gets <%>", ("share", 0.87))
    assert visit.ledger.unsaid == ["gets <%>"]
    assert visit.ledger.faults == []
