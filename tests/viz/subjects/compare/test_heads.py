from dataclasses import replace

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from tests.shipped import PAPER, shipped
from viz.run.axes import KINDS, attention_trace
from viz.run.making import make_run
from viz.subjects.compare.divergence import share_moved
from viz.subjects.compare.heads import kind_changes, match_heads, strongest_rows
from viz.subjects.compare.pairing import pair_runs

TIRED = "the animal did not cross the street because it was too tired ."
WIDE = TIRED.replace("tired", "wide")
LONGER = "the old animal did not cross the street because it was too tired ."


def changes(a, b, *, by_likeness: bool = False):
    pairing = pair_runs(a, b)
    return kind_changes(a, b, pairing, by_likeness=by_likeness)


def permuted(run, order):
    """Return the same run with its heads in another order."""

    def turned(attention):
        return replace(attention, weights=attention.weights[:, order])

    encoder, decoder = run.trace.encoder, run.trace.decoder
    encoder = replace(
        encoder,
        layers=tuple(replace(e, self_attn=turned(e.self_attn)) for e in encoder.layers),
    )
    decoder = replace(
        decoder,
        layers=tuple(
            replace(d, self_attn=turned(d.self_attn), cross_attn=turned(d.cross_attn))
            for d in decoder.layers
        ),
    )
    return replace(run, trace=replace(run.trace, encoder=encoder, decoder=decoder))


def test_the_strongest_row_of_each_head_stands_in_order_of_what_moved():
    runs = [shipped(PAPER, text)[0] for text in (TIRED, WIDE)]
    found = strongest_rows(changes(*runs))
    assert [row.moved for row in found] == sorted((row.moved for row in found), reverse=True)
    row = next(row for row in found if row.kind == "encoder self-attention")
    it = runs[0].source.tokens.index("it")
    assert row.place == it
    rows = [
        attention_trace(run, row.kind, row.layer).weights[0, row.head, it].double() for run in runs
    ]
    assert row.moved == pytest.approx((rows[0] - rows[1]).abs().sum().item() / 2, abs=1e-6)
    assert row.moved > 0.5


def test_the_row_of_a_sign_is_not_the_one_that_is_opened():
    a, b = shipped(PAPER, TIRED)[0], shipped(PAPER, WIDE)[0]
    change = changes(a, b)["encoder self-attention"]
    place = a.source.tokens.index(".")
    moved = change.moved.copy()
    moved[0, 0, place] = 1.0
    rows = {row[1:3]: row for row in replace(change, moved=moved).strongest()}
    assert rows[0, 0].place != place
    assert rows[0, 0].mean == pytest.approx(np.nanmean(moved[0, 0]))
    signs = replace(change, moved=moved, telling=np.full(len(change.telling), True))
    assert next(signs.strongest()).place == place


def test_rows_before_another_target_are_exactly_the_same():
    run, _ = shipped(PAPER, TIRED)
    checkpoint = load_checkpoint(SHIPPED / PAPER)
    forced = make_run(checkpoint, TIRED, target=run.text.replace("fatigué", "large"))
    found = changes(make_run(checkpoint, TIRED, target=run.text), forced)
    written = run.target_tokens.index("fatigué") - 1
    assert (found["encoder self-attention"].moved == 0).all()
    for kind in KINDS[1:]:
        assert (found[kind].moved[..., : written + 1] == 0).all()
        assert (found[kind].moved[..., written + 1 :] > 0).any()


def test_a_row_is_compared_over_the_keys_of_both():
    a, b = shipped(PAPER, TIRED)[0], shipped(PAPER, LONGER)[0]
    change = changes(a, b)["encoder self-attention"]
    assert change.rows[1] == (None, 1)
    assert np.isnan(change.moved[..., 1]).all()
    ours = attention_trace(a, "encoder self-attention", 0).weights[0, 2, 4].double().numpy()
    theirs = attention_trace(b, "encoder self-attention", 0).weights[0, 2, 5].double().numpy()
    expected = share_moved(np.insert(ours, 1, 0)[None], theirs[None])
    assert change.rows[5] == (4, 5)
    assert change.moved[0, 2, 5] == pytest.approx(expected[0])


def test_heads_in_another_order_are_found_again(run):
    order = [2, 0, 3, 1]
    found = changes(run, permuted(run, order), by_likeness=True)
    for change in found.values():
        assert set(change.match) == {tuple(order.index(head) for head in range(4))}
        assert (change.moved == 0).all()
    by_number = changes(run, permuted(run, order))
    assert max(change.moved.max() for change in by_number.values()) > 0.01


def test_the_best_pairs_are_those_of_all_together():
    distances = np.array([[0.1, 0.2], [0.1, 0.9]])  # a greedy choice costs the second its match
    assert match_heads(distances) == (1, 0)
    assert match_heads(np.array([[0.5], [0.1]])) == (None, 0)


def test_a_row_that_may_read_nothing_is_compared_as_empty(run):
    attention = run.trace.encoder.layers[0].self_attn
    weights = attention.weights.clone()
    weights[0, 0, 0] = torch.nan
    layer = replace(run.trace.encoder.layers[0], self_attn=replace(attention, weights=weights))
    encoder = replace(run.trace.encoder, layers=(layer, *run.trace.encoder.layers[1:]))
    empty = replace(run, trace=replace(run.trace, encoder=encoder))
    bits = changes(run, empty)["encoder self-attention"].moved
    assert np.isfinite(bits).all()
    assert bits[0, 0, 0] > 0
