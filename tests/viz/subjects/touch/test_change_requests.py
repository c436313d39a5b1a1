"""What a browser may ask for: changes of attention weights of this model, and nothing else."""

import pytest

from model.interventions.kinds import Intervention
from tests.tiny import tiny_config
from viz.subjects.touch.change_requests import MOST, read_asked

CROSS = "decoder.layers.*.cross_attn.weights"
PULL = {
    "kind": "point",
    "name": CROSS,
    "head": None,
    "rows": [1],
    "columns": [2],
    "amount": 0.6,
    "values": [],
    "origin": "",
    "origin_rows": None,
    "origin_head": None,
}


def asked(**changes: object) -> tuple[Intervention, ...]:
    return read_asked([PULL | changes], tiny_config())


def test_a_pull_is_read_as_it_is_meant():
    assert asked() == (Intervention("point", CROSS, rows=(1,), columns=(2,), amount=0.6),)


def test_a_row_is_painted_and_copied():
    assert asked(kind="paint", values=[1, 0.5])[0].values == (1.0, 0.5)
    assert asked(kind="patch", head=1, origin_head=3)[0].origin_head == 3


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"kind": "skip"}, "a hand can point"),
        ({"kind": ["point"]}, "a hand can point"),
        ({"name": "logits"}, "attention weights"),
        ({"name": "x" * 10_000 + ".weights"}, "attention weights"),
        ({"name": None}, "attention weights"),
        ({"name": "decoder.layers.9.cross_attn.weights"}, "this model captures nothing as"),
        ({"head": 99}, "heads are 0 to 3"),
        ({"head": -1}, "heads count from 0"),
        ({"head": True}, "whole numbers"),
        ({"rows": "1"}, "must be a list"),
        ({"rows": [10**9]}, "rows must be at least 0 and below 1024"),
        ({"columns": [1.5]}, "whole numbers"),
        ({"columns": []}, "needs columns"),
        ({"amount": 2}, "an amount is from 0 to 1"),
        ({"amount": "0.5"}, "amount must be a number"),
        ({"amount": float("nan")}, "an amount is from 0 to 1, got nan"),
        ({"kind": "paint", "values": [0.0]}, "paint needs a value"),
        ({"kind": "paint", "values": [-1]}, "values must be at least 0"),
        ({"kind": "paint", "values": ["a"]}, "values must be numbers"),
    ],
)
def test_what_means_nothing_is_refused_with_the_rule(changes: dict, rule: str):
    with pytest.raises(ValueError, match=rule):
        asked(**changes)


@pytest.mark.parametrize("given", [None, {}, "point", [PULL] * (MOST + 1), [None], [1]])
def test_what_is_no_list_of_changes_is_refused(given: object):
    with pytest.raises(ValueError, match="hand"):
        read_asked(given, tiny_config())
