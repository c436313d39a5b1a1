"""Path patching: the effect of a head along the path to one receiver."""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn

from loupe.effects import Effects, numbered
from loupe.ids import Text
from loupe.metrics import Metric, numbers_of
from loupe.native import Opened, run_own
from loupe.patching import pairs_of, read_both
from loupe.runners import logits_in, own
from loupe.runs_of_models import runner_with_parts
from loupe.texts import sort_out
from model.attribution.options import check_list, check_positions
from model.attribution.patched_cells import Cell, patch_edits
from model.attribution.sublayers import heads, sublayers
from model.config import TransformerConfig
from model.edits import AnyEdit, Edits, OnRows, ablate, replace
from model.text.partners import partners
from model.traces import TransformerTrace, find_tensor

LOGITS = "logits"
"""The receiver if no head is named."""
_READ = (".query", ".key", ".value")


def path_patch(
    model: "Opened | nn.Module",
    clean: Text,
    corrupt: Text,
    metric: Metric,
    *,
    to: str | Sequence[str] = LOGITS,
    at: Sequence[int] | None = None,
    freeze_mlps: bool = False,
    target: Text | None = None,
    tokenizer: object = None,
) -> Effects:
    """Replace each head's output, but only along the path to one receiver: path patching.

    As in Wang et al. 2022 (2211.00593), the clean text is run with one head replaced, at all
    positions, by its output on the corrupt text; all other heads keep their clean outputs. The
    input that reaches the receiver in this run, through the residual stream and the feed-forward
    networks, is then put into the clean run. `before` is the metric of the clean run, `goal` that
    of the corrupt one.

    Args:
        model: A model that Loupe implements: a checkpoint or folder from `loupe.load`, or a
            transformers model of a family that Loupe knows.
        clean: The text into whose run outputs are put.
        corrupt: The text from whose run outputs are taken, aligned with the clean one as in
            `patch`.
        metric: The number to measure, as in `patch`.
        to: The receiver: "logits", or the query, key or value of a head, by name, such as
            `decoder.layers.9.self_attn.query[6]`; a list receives together. If a layer has fewer
            heads of keys and values, the number of a key or value counts these.
        at: The positions of the receiver; by default, and for the logits, all of them.
        freeze_mlps: Whether feed-forward networks keep their clean outputs, so that the path
            consists of the residual stream alone (Goldowsky-Dill et al. 2023, 2304.05969).
        target: The text that a translation model has written so far in both runs; by default the
            text that it writes for the clean one.
        tokenizer: As in `patch`.

    Returns:
        The change of the metric, in its own unit, for each head, with shape (sender head); 0 for a
        head that computes after the receivers.

    Raises:
        TypeError: If the model is of another kind.
        ValueError: If there is no receiver, or one that is not a query, key or value; if a receiver
            lacks a position; if the texts cannot be aligned; if the vocabulary lacks a token.
    """
    runner = runner_with_parts(model, tokenizer)
    whole, measure = own(runner), numbers_of(runner, metric)
    config = whole.model.config
    receivers = _receivers(config, to, at)
    pair = pairs_of(clean, corrupt)
    if len(pair) > 1:
        raise ValueError(f"path_patch takes one pair of texts, got {len(pair)}")
    ours, theirs = read_both(runner, *pair[0], sort_out(None, None, target)[2])
    with torch.no_grad():
        plain, other = run_own(whole.model, ours), run_own(whole.model, theirs)
    for name in receivers:
        _check_place(plain, name, at)
    before, goal = (float(measure(logits_in(each)[0])) for each in (plain, other))

    order = [part.sublayer for part in sublayers(config)]
    last = max((order.index(name.rpartition(".")[0]) for name in receivers), default=len(order))
    attentions = tuple(dict.fromkeys(part.sublayer for part in heads(config)))
    names = tuple(f"{each}.heads" for each in attentions)
    mlps = [f"{each}.output" for each in order if freeze_mlps and each not in attentions]
    stay = {name: find_tensor(plain, name) for name in (*names, *mlps)}
    held = Edits({name: partial(_as_was, was) for name, was in stay.items()})
    senders = [
        Cell("z", f"{part.sublayer}.heads", part.head, None)
        for part in heads(config)
        if order.index(part.sublayer) < last
    ]
    pairs = partners(theirs.source or (), ours.source or ())

    def edits_of(some: Sequence[Cell]) -> Edits:
        sent = held.then(patch_edits(some, other, pairs))
        if not receivers:
            return sent
        trace = run_own(whole.model, ours, sent, len(some))
        return Edits({name: _received(trace, name, at) for name in receivers})

    found = runner.numbers(ours, senders, edits_of, measure)
    values = torch.zeros(len(attentions), config.n_heads, dtype=found.dtype)
    values.view(-1)[: len(senders)] = found - before
    return Effects(values, ("sender", "head"), (names, numbered(config.n_heads)), before, goal)


def _receivers(
    config: TransformerConfig, to: str | Sequence[str], at: Sequence[int] | None
) -> tuple[str, ...]:
    """Name the receivers; none for the logits. Raises ValueError on anything else."""
    if to == LOGITS:
        if at is not None:
            raise ValueError(
                f"at needs a query, a key or a value as the receiver, got to={LOGITS!r}"
            )
        return ()
    if not isinstance(to, Sequence) or not all(isinstance(each, str) for each in to):
        raise TypeError(
            f"to must be {LOGITS!r} or name receivers, as a string or a list, got {to!r}"
        )
    found = (to,) if isinstance(to, str) else tuple(to)
    if not found:
        raise ValueError(f"to must be {LOGITS!r} or name at least one receiver, got {to!r}")
    for name in found:
        if not name.partition("[")[0].endswith(_READ):
            raise ValueError(
                f"to must be {LOGITS!r}, or name queries, keys or values, such as "
                f"'decoder.layers.0.self_attn.query[0]', got {name!r}"
            )
    if at is not None:
        check_list("at", at)
        if not len(at):
            raise ValueError("at must hold at least one position; omit it for all positions")
    Edits(dict.fromkeys(found, ablate)).check(config)
    return found


def _check_place(trace: TransformerTrace, name: str, at: Sequence[int] | None) -> None:
    """Raise ValueError if a receiver lacks one of the positions, or the head in its name."""
    whole, _, head = name.removesuffix("]").partition("[")
    value = find_tensor(trace, whole)
    if head and int(head) >= value.size(1):
        raise ValueError(f"{whole} has heads 0 to {value.size(1) - 1}, got {name!r}")
    check_positions("at", at or (), value.size(-2))


def _as_was(was: Tensor, now: Tensor) -> Tensor:
    return was.expand_as(now)


def _received(trace: TransformerTrace, name: str, at: Sequence[int] | None) -> AnyEdit:
    """Make an edit that replaces a tensor, or one head of it, with another run's."""
    whole, _, head = name.removesuffix("]").partition("[")
    value = find_tensor(trace, whole)
    value = value[:, int(head)] if head else value
    if at is None:
        return replace(value)
    rows = torch.arange(value.size(-2))[list(at)]
    return OnRows(tuple(rows.tolist()), replace(value[..., rows.to(value.device), :]))
