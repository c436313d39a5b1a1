"""What one part of a run brings into the run of another text: activation patching."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from loupe.effects import Effects, numbered
from loupe.metrics import Metric, Numbers, by_runs, logits_of, numbers_of, own
from loupe.native import Opened, Reading, read_own, run_own
from model.attribution.cuts import heads
from model.attribution.options import check_choice
from model.attribution.patched_cells import Cell, lacks_partner, partners, patch_edits, stages
from model.checkpoints.checkpoint import Checkpoint
from model.config import Side, TransformerConfig
from model.edits import Edits
from model.traces import find_tensor, present

What = Literal["stream", "heads", "weights"]
How = Literal["exact", "gradient"]
_OF: Mapping[What, tuple[Literal["state", "z", "row"], str]] = {
    "stream": ("state", ""),
    "heads": ("z", ".heads"),
    "weights": ("row", ".weights"),
}


def patch(
    model: Opened,
    clean: str,
    corrupt: str,
    metric: Metric,
    *,
    of: What = "stream",
    how: How = "exact",
    side: Side | None = None,
    target: str | None = None,
) -> Effects:
    """Put each part of the run of one text into the run of another: activation patching.

    Each part by itself (Meng et al. 2022, 2202.05262; Zhang and Nanda 2023, 2309.16042).

    Args:
        model: What `loupe.load` gives, where its weights are Loupe's or were poured into its model.
        clean: The text from which is taken.
        corrupt: The text into which is put: of a model without an encoder as many tokens. Where
            an encoder reads, tokens are paired with those of the other; without a partner: NaN.
        metric: What is measured: a token, by its logit in the last row; two of them, by how much
            the first leads the second there; or a function from the logits (position vocab).
        of: The residual stream, after each sublayer and at each position; what each head finds
            (z); or where it looks, its values staying as they were.
        how: By a run for each part, or by one gradient for all of them, which is right to the first
            order (attribution patching, Nanda 2023): its sums may miss by much.
        side: Whose stream: the text that the model is given, where it is not said.
        target: What a translator has written in both runs, so that the last row speaks of what
            follows; without it, what it writes of the clean text.

    Returns:
        By how much the number changes, in its own unit, which is logits for tokens: (state
        position), else (attention head). `before` is that of the corrupt text, `goal` of the clean.

    Raises:
        TypeError: On a model of other kinds.
        ValueError: On another word for `of`, `how` or `side`, texts that cannot be laid beside each
            other, a side that the model lacks, a token that its vocabulary lacks.
    """
    check_choice("of", of, get_args(What))
    check_choice("how", how, get_args(How))
    check_choice("side", side, (*get_args(Side), None))
    whole, measure = own(model), numbers_of(model, metric)
    ours, theirs = read_both(whole, clean, corrupt, target)
    pairs = partners(ours.source or (), theirs.source or ())
    names, labels = _grid(whole.model.config, ours, theirs, pairs, of, side)
    what, places = _OF[of][0], range(len(labels))
    cells = [
        Cell(what, name, *((None, i) if of == "stream" else (i, None)))
        for name in names
        for i in places
    ]
    with torch.no_grad():
        trace, plain = run_own(whole.model, ours), run_own(whole.model, theirs)
        goal, before = (float(measure(logits_of(each))) for each in (trace, plain))
    if how == "exact":
        found = by_runs(whole, theirs, cells, lambda some: patch_edits(some, trace, pairs), measure)
        values = found - before
    else:
        put = {name: patch_edits([Cell(what, name, None, None)], trace, pairs) for name in names}
        values = _by_gradient(whole, theirs, put, measure)
    lacks = torch.tensor([lacks_partner(cell, pairs) for cell in cells])
    values = values.masked_fill(lacks, math.nan).view(len(names), len(labels))
    axes = ("state", "position") if of == "stream" else ("attention", "head")
    return Effects(values, axes, (names, labels), before, goal)


def read_both(
    model: Checkpoint, clean: str, corrupt: str, target: str | None
) -> tuple[Reading, Reading]:
    """Read two texts, the second with what is written of the first."""
    ours, theirs = (read_own(model, text, target) for text in (clean, corrupt))
    if model.model.config.has_encoder:
        return ours, replace(theirs, written=ours.written)
    sizes = [len(present(each.rows)) for each in (ours, theirs)]
    if sizes[0] != sizes[1]:
        raise ValueError("the two texts must have as many tokens, got {} and {}".format(*sizes))
    return ours, theirs


def _by_gradient(
    model: Checkpoint, reading: Reading, put: Mapping[str, Edits], measure: Numbers
) -> Float[Tensor, " cell"]:
    """Multiply what would be put into each tensor, less what is there, with its gradient."""
    nudges: dict[str, Tensor] = {}

    def nudged(name: str, value: Tensor) -> Tensor:
        nudges[name] = torch.zeros_like(value, requires_grad=True)
        return value + nudges[name]

    with torch.enable_grad():
        edits = Edits({name: partial(nudged, name) for name in put})
        trace = run_own(model.model, reading, edits)
        taps = [nudges[name] for name in put]
        slopes = torch.autograd.grad(measure(logits_of(trace)), taps, materialize_grads=True)
    rows = []
    for (name, edit), slope in zip(put.items(), slopes, strict=True):
        now = find_tensor(trace, name).detach()
        change = ((edit.apply(name, now) - now) * slope)[0].sum(dim=-1)
        rows.append(change if change.dim() == 1 else change.sum(dim=-1))
    return torch.cat(rows).float().cpu()


def _grid(
    config: TransformerConfig,
    clean: Reading,
    corrupt: Reading,
    pairs: Sequence[int | None],
    of: What,
    side: Side | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the tensors of what is patched, and the parts of each."""
    if of != "stream":
        attentions = dict.fromkeys(part.sublayer for part in heads(config))
        return tuple(f"{each}{_OF[of][1]}" for each in attentions), numbered(config.n_heads)
    side = side or ("source" if config.has_encoder else "target")
    begins = (f"{side}_", "encoder." if side == "source" else "decoder.")
    names = tuple(name for name in stages(config) if name.startswith(begins))
    if not names:
        raise ValueError(f"this model reads no {side}")
    ours, theirs = (getattr(each.tokens, side) for each in (clean, corrupt))
    if side == "source":
        ours = [theirs[i] if pair is None else ours[pair] for i, pair in enumerate(pairs)]
    else:
        ours, theirs = ours[: len(present(corrupt.rows))], theirs[: len(present(corrupt.rows))]
    both = zip(ours, theirs, strict=True)
    return names, tuple(their if our == their else f"{our}/{their}" for our, their in both)
