"""The same sentence through the same model, with the positions or the scale changed by edits."""

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.decoding import DecodingStep, greedy, score
from model.edits import NO_EDITS, Edit, Edits, ablate, scale
from model.tokenizer import BOS_ID, EOS_ID
from model.transformer import Transformer
from viz.run.record import AttentionKind, Run, attention_trace, max_tokens

Change = Literal["zeroed", "shuffled", "reversed", "rescaled"]
CHANGES: tuple[Change, ...] = get_args(Change)
Where = Literal["both", "source", "target"]
WHERE: tuple[Where, ...] = get_args(Where)

_MORE_WRITTEN = 8
"""Tokens that a changed model may write beyond twice what the run wrote."""


@dataclass(frozen=True, eq=False)
class Rerun:
    """What became of the run's own source and target, and of what the model writes by itself."""

    forced: Run
    """The run's own target, forced; its trace is on the model's device."""
    text: str
    """What the changed model writes greedily."""
    finished: bool
    """Whether it came to an end by itself."""
    text_before: str
    """What the model as it is writes greedily."""
    orders: dict[str, Int[Tensor, " position"]]
    """Which position's encoding each position got, for each side that was moved."""

    def weights(self, kind: AttentionKind, layer: int, head: int) -> Float[np.ndarray, "query key"]:
        """Give the attention weights of one head."""
        return attention_trace(self.forced, kind, layer).weights[0, head].cpu().numpy()


def loss(steps: tuple[DecodingStep, ...]) -> float:
    """Mean negative log-probability of the tokens, in nats."""
    return -sum(step.log_probability for step in steps) / len(steps)


def first_choices(steps: tuple[DecodingStep, ...]) -> int:
    """Count the tokens that the model itself would have put first."""
    return sum(step.rank == 0 for step in steps)


def position_order(change: Change, length: int, seed: int) -> Int[Tensor, " position"]:
    """Say whose encoding each position gets. A shuffle leaves two positions or more in no order."""
    own = torch.arange(length)
    if change == "reversed":
        return own.flip(0)
    if change != "shuffled" or length < 2:
        return own
    generator = torch.Generator().manual_seed(seed)
    order = own
    while torch.equal(order, own):
        order = torch.randperm(length, generator=generator)
    return order


def rerun(run: Run, model: Transformer, change: Change, where: Where, seed: int) -> Rerun:
    """Run the sentence again, with the encodings of one side or both changed.

    Positions beyond the run's own, which a changed model may come to write, keep their encodings.
    """
    device = next(model.parameters()).device
    written = [step.token for step in run.steps]
    source = torch.tensor([run.source.ids], device=device)
    limit = min(max_tokens(run.info.config), 2 * len(written) + _MORE_WRITTEN)
    lengths = {"source": len(run.source.ids), "target": len(written)}
    sides = ("source", "target") if where == "both" else (where,)
    with torch.inference_mode():
        orders = {side: position_order(change, lengths[side], seed) for side in sides}
        longest = max(limit, *lengths.values())
        edits = Edits(dict(_edit(model, s, change, order, longest) for s, order in orders.items()))
        steps = score(model, source, written, edits=edits)
        forced = torch.tensor([[BOS_ID, *written[:-1]]], device=device)
        trace = model(source, forced, edits=edits)
        # An edit that moves rows by their number has to see all of them, so no cache is used.
        by_row = change in ("shuffled", "reversed")
        text, finished = _write(run, model, source, limit, edits, use_cache=not by_row)
        before = run.text
        if run.given:
            before, _ = _write(run, model, source, limit, NO_EDITS, use_cache=True)
    return Rerun(replace(run, trace=trace, steps=steps), text, finished, before, orders)


def order_gap(run: Run, model: Transformer, seed: int, *, zeroed: bool) -> float:
    """Most that the encoder's output changes, beyond its order, when the source is reordered.

    0 up to rounding where no position is known: an encoder without positions reads a bag of tokens.
    """
    device = next(model.parameters()).device
    source = torch.tensor([run.source.ids], device=device)
    order = position_order("shuffled", source.size(1), seed).to(device)
    edits = Edits({"source_embedding.positions": ablate}) if zeroed else NO_EDITS
    with torch.inference_mode():
        _, straight = model.encode(source, edits=edits)
        _, shuffled = model.encode(source[:, order], edits=edits)
    return (straight.output[:, order] - shuffled.output).abs().max().item()


def _edit(
    model: Transformer, side: str, change: Change, order: Int[Tensor, " position"], length: int
) -> tuple[str, Edit]:
    """Give the captured name that a change acts on, and what it does there."""
    if change == "rescaled":
        root = math.sqrt(model.config.d_model)
        factor = 1 / root if model.config.scale_embeddings else root
        return f"{side}_embedding.tokens", scale(factor)
    name = f"{side}_embedding.positions"
    if change == "zeroed":
        return name, ablate
    embedding = model.source_embedding if side == "source" else model.target_embedding
    places = torch.cat([order, torch.arange(len(order), length)])
    moved = embedding.positions(0, length)[places]
    return name, lambda positions: moved[: len(positions)].to(positions)


def _write(
    run: Run,
    model: Transformer,
    source: Int[Tensor, "batch source"],
    limit: int,
    edits: Edits,
    *,
    use_cache: bool,
) -> tuple[str, bool]:
    steps = greedy(model, source, max_length=limit, edits=edits, use_cache=use_cache)
    ids = [step.token for step in steps]
    return run.info.tokenizers.target.decode((BOS_ID, *ids)), ids[-1] == EOS_ID
