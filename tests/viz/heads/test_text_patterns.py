"""Patterns of heads in one text: each is found if the weights were made to follow it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.traces import present
from viz.heads.head_summary import metrics_by_head
from viz.heads.text_patterns import find_patterns
from viz.run.making import make_run
from viz.run.record import Run

TEXT = "the cat sees the dog and the cat a the cat"
TOKENS = ("<s>", *TEXT.split())


def reading(run: Run, keys: Callable[[int], int]) -> Run:
    """Return the run with each row of layer 0, head 1 reading the one key that `keys` chooses."""
    decoder = present(run.trace.decoder)
    layer = decoder.layers[0]
    weights = layer.self_attn.weights.clone()
    rows = range(weights.size(2))
    weights[0, 1] = 0
    weights[0, 1, rows, [keys(row) for row in rows]] = 1
    changed = replace(layer, self_attn=replace(layer.self_attn, weights=weights))
    layers = (changed, *decoder.layers[1:])
    return replace(run, trace=replace(run.trace, decoder=replace(decoder, layers=layers)))


def followed(row: int) -> int:
    """Return the place after the latest earlier place of the row's token, as induction reads."""
    before = [place for place in range(row) if TOKENS[place] == TOKENS[row]]
    return before[-1] + 1 if before else row // 2


@pytest.fixture(scope="module")
def text_run(one_text_checkpoints: Path) -> Run:
    checkpoint = load_checkpoint(one_text_checkpoints / "tiny-gpt")
    run = make_run(checkpoint, TEXT, target="the")
    assert run.target_tokens[: len(TOKENS)] == TOKENS
    return run


PATTERNS = {
    "reads_before": lambda row: max(row - 1, 0),
    "reads_itself": lambda row: row,
    "reads_first": lambda _row: 0,
    "reads_after_same": followed,
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_head_made_to_read_so_is_found(text_run: Run, pattern: str) -> None:
    made = reading(text_run, PATTERNS[pattern])
    roles = find_patterns(made).heads["decoder self-attention"][0][1]
    assert roles[0].job.name == pattern
    assert roles[0].rate == 1


def test_a_head_that_reads_here_and_there_has_none(text_run: Run) -> None:
    places = np.random.default_rng(3).random(len(text_run.steps))
    made = reading(text_run, lambda row: int(places[row] * (row + 1)))
    assert find_patterns(made).heads["decoder self-attention"][0][1] == ()


def test_weight_on_repeats_is_counted_over_the_rows_that_repeat(text_run: Run) -> None:
    measured = metrics_by_head(reading(text_run, followed), None)["decoder self-attention"]
    repeats = [row for row in range(len(text_run.steps)) if TOKENS[row] in TOKENS[:row]]
    apart = [row for row in repeats if followed(row) < row]
    assert measured["after_repeated"][0, 1] == pytest.approx(1)
    assert len(apart) == len(repeats)
    assert measured["repeated"][0, 1] == 0
    assert "gold" not in measured


@pytest.mark.parametrize("most", [0.12, 0.8])
def test_a_head_whose_strongest_weights_are_even_has_no_job(text_run: Run, most: float) -> None:
    """Every row reads the first token most, either barely or by far."""
    decoder = present(text_run.trace.decoder)
    layer = decoder.layers[0]
    weights = layer.self_attn.weights.clone()
    for row in range(weights.size(2)):
        even = 1 / (row + 1)
        first = even + (1 - even) * most if most > 0.5 else even * (1 + most)
        weights[0, 1, row] = 0
        weights[0, 1, row, : row + 1] = (1 - first) / max(row, 1)
        weights[0, 1, row, 0] = first if row else 1
    changed = replace(layer, self_attn=replace(layer.self_attn, weights=weights))
    layers = (changed, *decoder.layers[1:])
    made = replace(text_run, trace=replace(text_run.trace, decoder=replace(decoder, layers=layers)))
    found = find_patterns(made).heads["decoder self-attention"][0][1]
    assert [role.job.name for role in found] == (["reads_first"] if most > 0.5 else [])
