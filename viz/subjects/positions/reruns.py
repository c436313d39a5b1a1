"""The same sentence through the same model, with its positions or their scale changed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.config import TransformerConfig
from model.decoding import DecodingStep, greedy, score
from model.edits import Edits
from model.intervention import Intervention, drawn_order, edits_of
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


def first_choices(steps: tuple[DecodingStep, ...]) -> int:
    """Count the tokens that the model itself would have put first."""
    return sum(step.rank == 0 for step in steps)


def position_order(change: Change, length: int, seed: int) -> Int[Tensor, " position"]:
    """Say whose encoding each position gets. A shuffle leaves two positions or more in no order."""
    own = torch.arange(length)
    if change == "reversed":
        return own.flip(0)
    return torch.tensor(drawn_order(length, seed)) if change == "shuffled" else own


def interventions(
    config: TransformerConfig, change: Change, lengths: Mapping[str, int], seed: int
) -> tuple[Intervention, ...]:
    """Give what is changed in the model, on each side whose length is given.

    Positions beyond these, which a changed model may come to write, keep their encodings.
    """
    root = math.sqrt(config.d_model)
    factor = 1 / root if config.scale_embeddings else root
    found: list[Intervention] = []
    for side, length in lengths.items():
        positions, rows = f"{side}_embedding.positions", tuple(range(length))
        match change:
            case "zeroed":
                made = Intervention("zero", positions)
            case "shuffled":
                made = Intervention("shuffle", positions, rows=rows, amount=float(seed))
            case "reversed":
                made = Intervention("reverse", positions, rows=rows)
            case "rescaled":
                made = Intervention("scale", f"{side}_embedding.tokens", amount=factor)
        found.append(made)
    return tuple(found)


def rerun(run: Run, model: Transformer, change: Change, where: Where, seed: int) -> Rerun:
    """Run the sentence again, with the encodings of one side or both changed."""
    device = next(model.parameters()).device
    written = [step.token for step in run.steps]
    source = torch.tensor([run.source.ids], device=device)
    limit = min(max_tokens(run.info.config), 2 * len(written) + _MORE_WRITTEN)
    lengths = {"source": len(run.source.ids), "target": len(written)}
    lengths = lengths if where == "both" else {where: lengths[where]}
    with torch.inference_mode():
        orders = {side: position_order(change, n, seed) for side, n in lengths.items()}
        made = interventions(model.config, change, lengths, seed)
        edits = run.edits.then(edits_of(made, model))
        steps = score(model, source, written, edits=edits)
        forced = torch.tensor([[BOS_ID, *written[:-1]]], device=device)
        trace = model(source, forced, edits=edits)
        text, finished = _write(run, model, source, limit, edits)
        before = run.text
        if run.given:
            before, _ = _write(run, model, source, limit, run.edits)
    changed = replace(run, trace=trace, steps=steps, edits=edits)
    return Rerun(changed, text, finished, before, orders)


def order_gap(run: Run, model: Transformer, seed: int, *, zeroed: bool) -> float:
    """Most that the encoder's output changes, beyond its order, when the source is reordered.

    0 up to rounding where no position is known: an encoder without positions reads a bag of tokens.
    """
    device = next(model.parameters()).device
    source = torch.tensor([run.source.ids], device=device)
    order = position_order("shuffled", source.size(1), seed).to(device)
    off = Intervention("zero", "source_embedding.positions")
    edits = edits_of((off,) if zeroed else (), model)
    with torch.inference_mode():
        _, straight = model.encode(source, edits=edits)
        _, shuffled = model.encode(source[:, order], edits=edits)
    return (straight.output[:, order] - shuffled.output).abs().max().item()


def _write(
    run: Run,
    model: Transformer,
    source: Int[Tensor, "batch source"],
    limit: int,
    edits: Edits,
) -> tuple[str, bool]:
    steps = greedy(model, source, max_length=limit, edits=edits)
    ids = [step.token for step in steps]
    return run.info.tokenizers.target.decode((BOS_ID, *ids)), ids[-1] == EOS_ID
