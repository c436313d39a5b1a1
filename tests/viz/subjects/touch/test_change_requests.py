"""What a browser may ask for: only changes of attention weights of this model."""

import pytest

from model.interventions.kinds import Intervention
from tests.tiny import tiny_config
from viz.subjects.touch.change_requests import MOST, read_asked

RULE = "attention weights can be pulled, painted or cut at once"
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


def test_a_row_is_painted():
    assert asked(kind="paint", values=[1, 0.5])[0].values == (1.0, 0.5)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"kind": "skip"}, RULE),
        ({"kind": ["point"]}, RULE),
        ({"kind": "patch"}, RULE),
        ({"name": "logits"}, RULE),
        ({"name": "x" * 10_000 + ".weights"}, RULE),
        ({"name": None}, RULE),
        ({"name": "decoder.layers.9.cross_attn.weights"}, "this model has no tensor called"),
        ({"head": 99}, "heads are numbered 0 to 3"),
        ({"head": -1}, "heads count from 0"),
        ({"head": True}, RULE),
        ({"rows": "1"}, RULE),
        ({"rows": [10**9]}, "rows must be at least 0 and below 1024"),
        ({"columns": [1.5]}, RULE),
        ({"columns": []}, "needs columns"),
        ({"amount": 2}, "an amount must be between 0 and 1"),
        ({"amount": "0.5"}, RULE),
        ({"amount": float("nan")}, "an amount must be between 0 and 1; got nan"),
        ({"kind": "paint", "values": [0.0]}, "paint needs at least one value"),
        ({"kind": "paint", "values": [-1]}, "values must be at least 0"),
        ({"kind": "paint", "values": ["a"]}, RULE),
    ],
)
def test_what_means_nothing_is_refused_with_the_rule(changes: dict, rule: str):
    with pytest.raises(ValueError, match=rule):
        asked(**changes)


@pytest.mark.parametrize("given", [None, {}, "point", [PULL] * (MOST + 1), [None], [1]])
def test_what_is_no_list_of_changes_is_refused(given: object):
    with pytest.raises(ValueError, match="attention weights can be"):
        read_asked(given, tiny_config())
