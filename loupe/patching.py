"""Activation patching: the effect of putting one part of a run into the run of another text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn

from loupe.aligned import mean_of
from loupe.effects import Effects, numbered
from loupe.ids import Text, texts_of
from loupe.metrics import Metric, all_numbers_of
from loupe.native import Opened, Reading
from loupe.options import for_each, texts_in
from loupe.runners import Found, Numbers, Runner, logits_in, runner_of, tensor_in
from model.attribution.options import check_choice
from model.attribution.patched_cells import Cell, is_of_source, lacks_partner, patch_edits
from model.config import Side
from model.edits import Edits
from model.traces import present

What = Literal["stream", "heads", "weights"]
How = Literal["exact", "gradient"]
_OF: Mapping[What, tuple[Literal["state", "z", "row"], str]] = {
    "stream": ("state", ""),
    "heads": ("z", ".heads"),
    "weights": ("row", ".weights"),
}


def patch(
    model: "Opened | nn.Module",
    clean: Text | Sequence[Text],
    corrupt: Text | Sequence[Text],
    metric: Metric | list[Metric],
    *,
    of: What = "stream",
    how: How = "exact",
    side: Side | None = None,
    target: Text | Sequence[Text] | None = None,
    tokenizer: object = None,
) -> Effects:
    """Put each part of the run of one text into the run of another: activation patching.

    Each part is patched alone (Meng et al. 2022, 2202.05262; Zhang and Nanda 2023, 2309.16042). For
    lists of texts, aligned pair by pair, the effects are averaged.

    Args:
        model: A model from `loupe.load`, a transformers model, or any module that `loupe.trace`
            takes and that returns logits of ids.
        clean: The text to take parts from: a string, the ids of its tokens, or a list of texts.
        corrupt: The text to put them into. For a model without an encoder it has as many tokens.
            If an encoder reads it, its tokens are paired with those of the other text; tokens
            without a partner have NaN.
        metric: The number to measure: a token, for its logit in the last row; a pair of tokens, for
            the difference of their logits there; or a function from the logits (position vocab) to
            a number. A list has one metric for each pair of texts.
        of: The residual stream, after each sublayer and at each position; the result of each head
            (z); or its attention pattern, with its values unchanged.
        how: Whether to run the model once for each part, or to estimate all effects from one
            gradient (attribution patching, Nanda 2023). The estimate is linear, and can be far off.
        side: The side whose stream is patched; by default that of the text given to the model.
        target: The text that a translation model has written so far in both runs, so that the last
            row predicts the next token; by default the text that it writes for the clean one.
        tokenizer: For a model without its own, as in `loupe.trace`: it reads texts and tokens. Ids
            need none.

    Returns:
        The change of the metric, in its own unit (logits if the metric names tokens), with shape
        (state position) or (attention head). `before` is the metric of the corrupt text, `goal`
        that of the clean one.

    Raises:
        TypeError: If the model is of another kind.
        ValueError: If `of`, `how` or `side` is another word, if the texts cannot be aligned, or if
            the model lacks the side or a token.
    """
    check_choice("of", of, get_args(What))
    check_choice("how", how, get_args(How))
    check_choice("side", side, (*get_args(Side), None))
    runner = runner_of(model, tokenizer)
    pairs = pairs_of(clean, corrupt)
    measures = all_numbers_of(runner, metric, len(pairs))
    aims = for_each("target", texts_of(target), len(pairs))
    found = []
    for pair, measure, aim in zip(pairs, measures, aims, strict=True):
        both = read_both(runner, *pair, aim)
        found.append(_patched(runner, both, measure, of, how, side))
    return mean_of(found)


def pairs_of(clean: object, corrupt: object) -> list[tuple[str | Tensor, str | Tensor]]:
    """Pair two texts, or the texts of two lists.

    Raises ValueError if the lists differ in length, TypeError if an item is not a text.
    """
    ours, theirs = texts_of(clean), texts_of(corrupt)
    if not isinstance(ours, list) and not isinstance(theirs, list):
        ours, theirs = [ours], [theirs]
    both = texts_in("clean", ours), texts_in("corrupt", theirs)
    if len(both[0]) != len(both[1]) or not both[0]:
        raise ValueError(
            "clean and corrupt must have the same number of texts, at least one, got "
            f"{len(both[0])} and {len(both[1])}"
        )
    return list(zip(*both, strict=True))


def _patched(
    runner: Runner,
    both: tuple[Reading, Reading],
    measure: Numbers,
    of: What,
    how: How,
    side: Side | None,
) -> Effects:
    ours, theirs = both
    pairs = runner.pairs(ours, theirs)
    with torch.no_grad():
        trace, plain = runner.run(ours), runner.run(theirs)
        goal, before = (float(measure(logits_in(each)[0])) for each in (trace, plain))
    names, labels = _grid(runner, trace, both, of, side)
    cells = _cells(names, len(labels), trace, of)
    if how == "exact":
        found = runner.numbers(theirs, cells, lambda some: patch_edits(some, trace, pairs), measure)
        values = found - before
    else:
        whole = [(name, Cell(_OF[of][0], name, None, None)) for name in names]
        put = {name: patch_edits([cell], trace, pairs) for name, cell in whole}
        values = _by_gradient(runner, theirs, put, measure)
    lacks = torch.tensor([lacks_partner(cell, pairs) for cell in cells])
    values = values.masked_fill(lacks, math.nan)
    if of == "stream":
        grid = values.view(len(names), len(labels))
        return Effects(grid, ("state", "position"), (names, labels), before, goal)
    grid = torch.full((len(names), len(labels)), math.nan, dtype=values.dtype)
    for cell, value in zip(cells, values, strict=True):
        grid[names.index(cell.name), present(cell.head)] = value
    return Effects(grid, ("attention", "head"), (names, labels), before, goal)


def _cells(names: Sequence[str], count: int, trace: Found, of: What) -> list[Cell]:
    """List the cells to patch: a state at each position, or each head of an attention."""
    what = _OF[of][0]
    if of == "stream":
        return [Cell(what, name, None, place) for name in names for place in range(count)]
    return [
        Cell(what, name, head, None)
        for name in names
        for head in range(tensor_in(trace, name).size(1))
    ]


def read_both(
    runner: Runner, clean: str | Tensor, corrupt: str | Tensor, target: str | Tensor | None
) -> tuple[Reading, Reading]:
    """Read two texts, the second with the target of the first."""
    ours, theirs = (runner.read(text, target) for text in (clean, corrupt))
    if ours.source:
        tokens = theirs.tokens._replace(target=ours.tokens.target)
        return ours, replace(theirs, written=ours.written, tokens=tokens)
    sizes = [len(present(each.rows)) for each in (ours, theirs)]
    if sizes[0] != sizes[1]:
        raise ValueError(
            "the two texts must have the same number of tokens, got {} and {}".format(*sizes)
        )
    return ours, theirs


def _by_gradient(
    runner: Runner, reading: Reading, put: Mapping[str, Edits], measure: Numbers
) -> Float[Tensor, " cell"]:
    """Multiply the change of each tensor by its gradient."""
    nudges: dict[str, Tensor] = {}

    def nudged(name: str, value: Tensor) -> Tensor:
        nudges[name] = torch.zeros_like(value, requires_grad=True)
        return value + nudges[name]

    edits = Edits({name: partial(nudged, name) for name in put})
    with torch.enable_grad():
        trace = runner.run(reading, edits, grad=True)
        taps = [nudges[name] for name in put]
        number = measure(logits_in(trace)[0])
        slopes = torch.autograd.grad(number, taps, materialize_grads=True)
    rows = []
    for (name, edit), slope in zip(put.items(), slopes, strict=True):
        now = tensor_in(trace, name).detach()
        change = ((edit.apply(name, now) - now) * slope)[0].sum(dim=-1)
        rows.append(change if change.dim() == 1 else change.sum(dim=-1))
    return torch.cat(rows).float().cpu()


def _grid(
    runner: Runner,
    trace: Found,
    both: tuple[Reading, Reading],
    of: What,
    side: Side | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the tensors to patch, and the parts of each."""
    if of != "stream":
        names = tuple(f"{each}{_OF[of][1]}" for each in runner.attentions(trace))
        return names, numbered(max(tensor_in(trace, name).size(1) for name in names))
    names = runner.states(trace, side)
    clean, corrupt = both
    source = corrupt.source if is_of_source(names[0]) or corrupt.rows is None else None
    side = "target" if source is None else "source"
    pairs = runner.pairs(clean, corrupt)
    ours, theirs = (getattr(each.tokens, side) for each in (clean, corrupt))
    if source is not None:
        ours = [theirs[i] if pair is None else ours[pair] for i, pair in enumerate(pairs)]
    else:
        ours, theirs = ours[: len(present(corrupt.rows))], theirs[: len(present(corrupt.rows))]
    named = zip(ours, theirs, strict=True)
    return names, tuple(their if our == their else f"{our}/{their}" for our, their in named)
