"""Typical hand-written attentions agree with their own taps, and with edits made by hand."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

import loupe
from tests.model.foreign.recording.own_modules import (
    HEADS,
    KINDS,
    LENGTH,
    TEXTS,
    WIDTH,
    GatePerQuery,
    HeadsOutside,
    Own,
    SequenceFirst,
    Unbatched,
    merge,
    split,
    tap,
)

PARTS = ("query", "key", "value", "scores", "weights", "heads")
EDITS: dict[str, Callable[[Tensor], Tensor]] = {
    "query": lambda x: x * 1.5 + 0.2,
    "key": lambda x: 0.3 - 1.2 * x,
    "value": lambda x: x * 0.5 - 1,
    "scores": lambda x: 2 * x + 0.1,
    "mask": lambda x: x.index_fill(-1, torch.tensor([2]), value=False),
    "weights": lambda x: x * 0.7 + 0.01,
    "heads": lambda x: x.square() + 1,
}


def made(kind: type[Own], texts: int = TEXTS, length: int = LENGTH) -> tuple[Own, Tensor]:
    torch.manual_seed(5)
    module = kind().double().eval()
    x = torch.randn(texts, length, WIDTH, dtype=torch.float64)
    if module.sequence_first:
        x = x.transpose(0, 1).contiguous()
    return module, x[0] if kind is Unbatched else x


def by_hand(
    module: nn.Module, x: Tensor, changes: dict | None = None
) -> tuple[Tensor, dict[str, list[Tensor]]]:
    """Run a module by itself, with changes applied at its own taps."""
    tap.seen, tap.changes = {}, changes or {}
    try:
        with torch.no_grad(), torch.random.fork_rng():
            return module(x), tap.seen
    finally:
        tap.seen, tap.changes = {}, {}


def trace(module: nn.Module, x: Tensor, **how) -> loupe.Run:
    return loupe.trace(module, [str(i) for i in range(9)], inputs=x, **how)


def see(x: Tensor, mask: Tensor, part: str) -> Tensor:
    """Hide the scores that a mask replaced, which cannot be known."""
    return x.masked_fill(~mask, 0) if part == "scores" else x


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_recorded_is_what_the_code_computes(kind):
    module, x = made(kind)
    output, seen = by_hand(module, x)

    run = trace(module, x)

    assert run.differs == pytest.approx(0, abs=1e-12)
    assert_close(run["output"], output)
    assert [name for name in run if name.endswith(".weights")] == ["attention.weights"]
    mask = module.four("mask", seen["mask"]).to(torch.bool)
    assert torch.equal(run["attention.mask"].squeeze(), mask.squeeze())
    for part in PARTS:
        found, expected = run[f"attention.{part}"], module.four(part, seen[part])
        assert_close(*(see(x, mask, part) for x in (found, expected)), msg=part)


@pytest.mark.parametrize("part", EDITS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_is_the_edit_made_by_hand(kind, part):
    module, x = made(kind)
    plain, _ = by_hand(module, x)
    expected, seen = by_hand(module, x, {part: EDITS[part]})
    mask = module.four("mask", seen["mask"]).to(torch.bool)

    same = trace(module, x, edits={f"attention.{part}": lambda y: y.clone()})
    other = trace(module, x, edits={f"attention.{part}": EDITS[part]})

    assert_close(same["output"], plain, atol=1e-12, rtol=0)
    if part == "mask" and kind.__name__ == "HiddenWhole":
        # A row whose keys the edit hides reads nothing; the code's own hidden row stays as it was.
        return
    assert (expected - plain).abs().max() > 0.01
    assert_close(other["output"], expected, atol=1e-6 if part == "scores" else 1e-9, rtol=0)
    for name in ("query", "key", "scores", "weights", "heads"):
        if part in PARTS and name in PARTS[PARTS.index(part) + 1 :]:
            found = (other[f"attention.{name}"], module.four(name, seen[name]))
            assert_close(*(see(y, mask, name) for y in found), atol=1e-6, rtol=0)


@pytest.mark.parametrize(("texts", "length"), [(8, 1), (1, 4), (4, 4), (3, 8), (1, 1)])
@pytest.mark.parametrize("kind", [SequenceFirst, Unbatched, HeadsOutside])
def test_texts_and_heads_are_told_apart_whatever_their_numbers(kind, texts, length):
    module, x = made(kind, texts, length)
    _, seen = by_hand(module, x)
    run = trace(module, x)
    assert run["attention.weights"].shape == (
        1 if kind is Unbatched else texts,
        HEADS,
        length,
        length,
    )
    assert_close(run["attention.query"], module.four("query", seen["query"]))


@torch.enable_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_changes_by_hand(kind):
    module, x = made(kind)
    run = trace(module, x, grad=True)
    if kind is GatePerQuery:
        with pytest.raises(ValueError, match="changes a tensor in place that its gradient needs"):
            run.gradient(lambda run: run["output"].square().sum(), "*")
        return

    found = run.gradient(lambda run: run["output"].square().sum(), "*")

    assert not {f"attention.{part}" for part in PARTS if part != "scores"} - found.keys()
    assert "beside the graph" in found.left_out["attention.scores"]
    for part in ("query", "key", "value", "weights", "heads"):

        def at(far: float, part: str = part) -> Tensor:
            return by_hand(module, x, {part: lambda y: y + far})[0].square().sum()

        expected = (at(1e-5) - at(-1e-5)) / 2e-5
        assert_close(found[f"attention.{part}"].sum(), expected, rtol=1e-5, atol=1e-5, msg=part)


@torch.enable_grad()
def test_what_is_changed_in_place_later_is_kept_with_its_gradient():
    class InPlace(Own):
        def attend(self, x: Tensor) -> Tensor:
            q, k, v = (split(f(x)) for f in (self.q, self.k, self.v))
            heads = tap("heads", self.weights(q, k) @ v)
            heads *= 3
            return merge(heads)

    module, x = made(InPlace)
    _, seen = by_hand(module, x)
    run = trace(module, x, grad=True)
    assert_close(run["attention.heads"].detach(), seen["heads"][0])
    found = run.gradient(lambda run: run["output"].sum(), "*.heads")["attention.heads"]
    assert_close(merge(found), (3 * module.o.weight.sum(0)).expand(TEXTS, LENGTH, WIDTH).detach())
