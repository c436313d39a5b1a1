"""Long runs at each size at which shrinking begins: everything not shrunk stays exact."""

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from model.checkpoints.checkpoint import Checkpoint
from qa.audit.numbers import read_number
from tests.node import told_by
from viz.run import payload, sending
from viz.run.axes import all_heads
from viz.run.codes import CODE_MASKED, CODE_ONE
from viz.run.making import make_run
from viz.run.record import Run

SCRIPT = Path(__file__).with_name("read_weights.js")
HEADS = 24
CODE = 0.5 / CODE_ONE + 1e-7
LONG, SHORT = 24, 9
"""The number of tokens read, and of those written, with `<s>`."""
CELLS = 8 * (LONG**2 + SHORT * LONG + SHORT**2)


class Packed(NamedTuple):
    sent: payload.Payload
    heads: list[dict[str, Any]]
    """Every head at full size, as it is sent if its kind is shrunk."""


@pytest.fixture(scope="module")
def long_run(checkpoint: Checkpoint) -> Run:
    run = make_run(checkpoint, "cat " * (LONG - 1), target="chat " * (SHORT - 1))
    assert (len(run.source.ids), len(run.target_ids) - 1) == (LONG, SHORT)
    return run


SIZES = {
    "one cell fewer than are sent whole": CELLS + 1,
    "as many as are sent whole": CELLS,
    "one more": CELLS - 1,
    **{f"sides of {side}": HEADS * side**2 for side in (SHORT - 1, SHORT, SHORT + 1, LONG - 1)},
}


def packed(run: Run, most: int, monkeypatch: pytest.MonkeyPatch) -> Packed:
    monkeypatch.setattr("viz.run.codes.MOST_CODES", most)
    heads: list[dict[str, Any]] = []
    monkeypatch.setattr(sending, "_send_head", lambda data, **_: heads.append(data))
    sent = payload.pack_run(run, str(most))
    for kind in run.anatomy.names:
        for layer, head in np.ndindex(*all_heads(run, kind).shape[:2]):
            sending.send_whole_head(run, str(most), kind, layer, head)
    return Packed(sent, heads)


def drawn_weights(sent: payload.Payload, kind: Any) -> np.ndarray:
    stack = sent.data["meta"]["kinds"][kind]
    shape = (stack["layers"], stack["heads"], *stack["drawn"])
    codes = sent.data["codes"]["code"].to_numpy()[stack["offset"] :][: math.prod(shape)]
    return np.where(codes == CODE_MASKED, 0, codes / CODE_ONE).reshape(shape)


@pytest.mark.parametrize("most", SIZES.values(), ids=list(SIZES))
def test_a_matrix_that_is_not_shrunk_is_sent_exactly(
    long_run: Run, most: int, monkeypatch: pytest.MonkeyPatch
):
    sent, _ = packed(long_run, most, monkeypatch)
    side = LONG if most >= CELLS else math.isqrt(most // HEADS)
    for kind in long_run.anatomy.names:
        weights = all_heads(long_run, kind)
        whole = max(weights.shape[-2:]) <= side
        assert sending.is_whole(sent, kind) == whole
        if whole:
            assert np.abs(drawn_weights(sent, kind) - weights).max() <= CODE


def test_the_browser_says_and_draws_every_weight_of_a_long_run_as_it_is(
    long_run: Run, monkeypatch: pytest.MonkeyPatch
):
    runs = [packed(long_run, most, monkeypatch) for most in SIZES.values()]
    asked = [
        {
            "meta": sent.said["meta"],
            "codes": sent.data["codes"]["code"].to_pylist(),
            "heads": [
                {"meta": head["meta"], "codes": head["codes"]["code"].to_pylist()} for head in heads
            ],
        }
        for sent, heads in runs
    ]
    told = told_by(SCRIPT, {"runs": asked})
    for (sent, heads), of_run in zip(runs, told, strict=True):
        for head, said in zip(heads, of_run, strict=True):
            place = head["meta"]
            weights = all_heads(long_run, place["kind"])[place["layer"], place["head"]]
            assert said["asked"] == (not sending.is_whole(sent, place["kind"]))
            for row, words, lines in zip(weights, said["words"], said["lines"], strict=True):
                assert_said(words, row)
                assert row[lines].sum() >= 0.9 - len(row) * CODE
                assert row[lines[:-1]].sum() <= 0.9 + len(row) * CODE


def assert_said(words: list[str], row: np.ndarray) -> None:
    for text, weight in zip(words, row, strict=True):
        if text == "masked, exactly 0":
            assert weight == 0
        else:
            low, high = read_number(text)
            assert low - 1e-6 <= weight <= high + 1e-6, (text, weight)
