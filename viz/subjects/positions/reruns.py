"""Runs the same sentence through the same model with changed or scaled positions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.config import Side
from model.decoding.greedy import greedy, score
from model.decoding.steps import DecodingStep, steps_of
from model.edits import NO_EDITS, Edits
from model.interventions.kinds import Intervention, drawn_order, edits_of
from model.recompute import on_cpu
from viz.run.axes import AttentionKind, attention_trace
from viz.run.making import source_ids
from viz.run.record import MAX_CONTINUED, Run, max_tokens
from viz.subjects.positions.position_edits import moved

if TYPE_CHECKING:  # only for types
    from model.transformer import Transformer

Change = Literal["zeroed", "shuffled", "reversed"]
CHANGES: tuple[Change, ...] = get_args(Change)
Where = Literal["both", "source", "target"]
WHERE: tuple[Where, ...] = get_args(Where)

_MORE_WRITTEN = 8
"""The number of tokens that a changed model may write beyond twice those of the run."""


@dataclass(frozen=True, eq=False)
class Rerun:
    """A rerun of the run's own source and target, and the text that the changed model writes."""

    forced: Run
    """The run's own target, forced; the trace is on the model's device."""
    text: str
    """The text that the changed model writes greedily."""
    finished: bool
    """Whether it ended by itself."""
    text_before: str
    """The text that the unchanged model writes greedily."""
    orders: dict[Side, Int[Tensor, " position"]]
    """The position whose encoding each position got, on each moved side."""

    def weights(self, kind: AttentionKind, layer: int, head: int) -> Float[np.ndarray, "query key"]:
        """Return the attention weights of one head."""
        return on_cpu(attention_trace(self.forced, kind, layer).weights[0, head]).numpy()


def first_choices(steps: tuple[DecodingStep, ...]) -> int:
    """Count the tokens that the model itself would have ranked first."""
    return sum(step.rank == 0 for step in steps)


def guesses(run: Run) -> tuple[DecodingStep, ...]:
    """Return the model's prediction for each token: before it is written, or in its own place.

    An encoder-only model predicts each token in its own place; without a prediction head, nothing.
    """
    if run.steps or run.trace.logits is None:
        return run.steps
    return steps_of(run.trace.logits[0].float().cpu(), run.source.ids)


def hidden_gap(run: Run, changed: Rerun) -> float:
    """Return the largest change of a hidden state of the last layer."""
    side = run.anatomy.sides[-1]
    before, after = (one.trace.stack_of(side).output.cpu() for one in (run, changed.forced))
    return (before - after).abs().max().item()


def position_order(change: Change, length: int, seed: int) -> Int[Tensor, " position"]:
    """Return whose encoding each position gets; a shuffle of two or more always differs."""
    own = torch.arange(length)
    if change == "reversed":
        return own.flip(0)
    return torch.tensor(drawn_order(length, seed)) if change == "shuffled" else own


def interventions(
    change: Change, lengths: Mapping[Side, int], seed: int
) -> tuple[Intervention, ...]:
    """Return the changes in the model, on each side whose length is given.

    Positions beyond this length, which a changed model may write, keep their encodings.
    """
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
        found.append(made)
    return tuple(found)


def rerun(run: Run, model: "Transformer", change: Change, where: Where, seed: int) -> Rerun:
    """Run the sentence again, with the encodings of one side or both changed."""
    written = [step.token for step in run.steps]
    lengths: dict[Side, int] = {
        side: run.trace.embedding_of(side).output.size(1) for side in run.anatomy.sides
    }
    lengths = lengths if where == "both" else {where: lengths[where]}
    orders: dict[Side, Tensor] = {
        side: position_order(change, n, seed) for side, n in lengths.items()
    }
    source = source_ids(run, model)
    target = None
    if written:
        target = torch.tensor([[run.target_ids[0], *written[:-1]]], device=model.device)
    with torch.inference_mode():
        edits = run.edits.then(_edits(run, model, change, orders, seed))
        steps = ()
        if written:
            steps = score(model, source, written, bos_id=run.target_ids[0], edits=edits)
        trace = model(source, target, edits=edits)
        text, finished = _write(run, model, edits)
        before = _write(run, model, run.edits)[0] if run.given else run.text
    changed = replace(run, trace=trace, steps=steps, edits=edits)
    return Rerun(changed, text, finished, before, orders)


def _edits(
    run: Run,
    model: "Transformer",
    change: Change,
    orders: Mapping[Side, Int[Tensor, " position"]],
    seed: int,
) -> Edits:
    """Make a change as interventions, or as edits if positions are not vectors."""
    if model.config.has_position_vectors:
        lengths: dict[Side, int] = {side: len(order) for side, order in orders.items()}
        return edits_of(interventions(change, lengths, seed), model)
    return moved(model, orders, _most_written(run) + 1, zeroed=change == "zeroed")


def _most_written(run: Run) -> int:
    """Return the largest number of tokens that a changed model writes, including a prompt."""
    limit = max_tokens(run.info.config)
    if not run.info.config.has_encoder:
        return min(limit, max(len(run.steps), run.n_prompt + MAX_CONTINUED))
    return min(limit, 2 * len(run.steps) + _MORE_WRITTEN)


def order_gap(run: Run, model: "Transformer", seed: int, *, zeroed: bool) -> float:
    """Return the largest change of the encoder's output, besides its order, by a new source order.

    It is 0 up to rounding without positions, because such an encoder reads a bag of tokens.
    """
    source = torch.tensor([run.source.ids], device=model.device)
    length = source.size(1)
    order = position_order("shuffled", length, seed).to(model.device)
    with torch.inference_mode():
        own: dict[Side, Tensor] = {"source": torch.arange(length)}
        edits = _edits(run, model, "zeroed", own, seed) if zeroed else NO_EDITS
        _, straight = model.encode(source, edits=edits)
        _, shuffled = model.encode(source[:, order], edits=edits)
    return (straight.output[:, order] - shuffled.output).abs().max().item()


def _write(run: Run, model: "Transformer", edits: Edits) -> tuple[str, bool]:
    """Let a model write; return the text after a prompt, and whether it ended by itself."""
    target, limit = run.info.tokenizers.target, _most_written(run)
    if not run.info.config.has_decoder or run.n_prompt >= limit:
        return "", True
    steps = greedy(
        model,
        source_ids(run, model),
        max_length=limit,
        prefix=run.target_ids[1 : 1 + run.n_prompt],
        prompt=run.n_prompt,
        bos_id=run.target_ids[0],
        eos_id=target.specials.ends,
        edits=edits,
    )
    ids = [step.token for step in steps]
    return target.decode(ids[run.n_prompt :]), ids[-1] in target.specials.ends
