"""The logit lens: the prediction that each depth of a model would make if it were the last."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from loupe.effects import TOLD
from loupe.native import Opened, Reading
from loupe.options import check_rows
from loupe.records import Tokens
from loupe.run import Run
from loupe.runners import Runner, own, runner_of
from loupe.runs_of_models import trace_of
from model.edits import Edits
from model.traces import TransformerTrace, find_tensor, present


@dataclass(frozen=True, eq=False, repr=False)
class Lens:
    """The prediction that each depth of a model would make if it were the last."""

    logits: Float[Tensor, "depth row vocab"]
    names: tuple[str, ...]
    """The captured names of the states, the embedding first."""
    vocabulary: Callable[[int], str]
    """A function from an id to its text."""

    @property
    def probabilities(self) -> Float[Tensor, "depth row vocab"]:
        """The softmax of the logits."""
        return self.logits.softmax(dim=-1)

    def top(self, count: int = TOLD) -> tuple[tuple[tuple[tuple[str, float], ...], ...], ...]:
        """List the most probable tokens of each depth and row, each with its probability."""
        most = self.logits.size(-1)
        if type(count) is not int or not 1 <= count <= most:
            raise ValueError(f"count must be a number from 1 to {most}, got {count!r}")
        shares, ids = self.probabilities.topk(count)
        return tuple(
            tuple(
                tuple(zip(map(self.vocabulary, each), some, strict=True))
                for each, some in zip(*pair, strict=True)
            )
            for pair in zip(ids.tolist(), shares.tolist(), strict=True)
        )

    def __repr__(self) -> str:
        last = (rows[-1] for rows in self.top())
        said = (", ".join(f"{token} {share:.3f}" for token, share in found) for found in last)
        pairs = zip(self.names, said, strict=True)
        return "\n".join(("the last row:", *(f"{name}  {each}" for name, each in pairs)))


def lens(
    model: "Opened | nn.Module",
    run: Run,
    *,
    rows: slice | Sequence[int] = slice(None),
    tokenizer: object = None,
) -> Lens:
    """Apply the last norm and the unembedding to the state after each layer: the logit lens.

    See nostalgebraist 2020. The last depth has the logits of the run. In a third-party model, each
    state replaces the output of the last layer, so that the model's own code reads it.

    Args:
        model: The model of the run, as in `patch`.
        run: A run from `loupe.trace`, edited or not.
        rows: The positions to read; the logits of all positions of a long text need much memory.
        tokenizer: As in `patch`; it names tokens.

    Raises:
        TypeError: If the model is of another kind, or if the run has no residual stream.
        LookupError: If the model predicts nothing.
        ValueError: If the run is of another model, or lacks a row.
    """
    runner = runner_of(model, tokenizer)
    trace = trace_of(runner, run)
    side = "target" if trace.decoder else "source"
    reader = "decoder" if trace.decoder else "encoder"
    check_rows(rows, present(trace.decoder or trace.encoder).output.size(1))
    depths = len(trace.stack_of(side).layers)
    layers = tuple(f"{reader}.layers.{i}.output" for i in range(depths))
    embedding = trace.target_embedding if trace.decoder else trace.source_embedding
    first = f"{reader}.layers.0.input" if embedding is None else f"{side}_embedding.output"
    names = (first, *layers)
    with torch.no_grad():
        states = torch.cat([find_tensor(trace, name)[:1, rows] for name in names])
        if runner.config is not None:
            return Lens(_read_own(runner, states), names, runner.token)
        blank = _blank(runner, trace)
        return Lens(_read_by_edits(runner, blank, states, layers[-1]), names, runner.token)


def _read_own(runner: Runner, states: Float[Tensor, "depth row d_model"]) -> Tensor:
    model = own(runner).model
    stack = present(model.decoder or model.encoder)
    return model.generate(stack.finish(states.to(model.device)))[0]


def _read_by_edits(
    runner: Runner, blank: Reading, states: Float[Tensor, "depth row d_model"], last: str
) -> Tensor:
    """Let the model's own code read states instead of its last layer's output."""
    size = len(present(blank.rows or blank.source))
    flat = states.flatten(0, 1)
    missing = -len(flat) % size
    blocks = torch.cat([flat, flat[-1:].expand(missing, -1)]).unflatten(0, (-1, size))
    found = [
        runner.logits(blank, Edits({last: partial(_put, block)}))[0]
        for block in blocks.unsqueeze(1)
    ]
    return torch.cat(found)[: len(flat)].unflatten(0, states.shape[:2])


def _put(block: Tensor, now: Tensor) -> Tensor:
    return block.to(now)


def _blank(runner: Runner, trace: TransformerTrace) -> Reading:
    """Return a text of the run's sizes whose tokens do not matter, as no layer's output is read."""
    sizes = [None if x is None else x.output.size(1) for x in (trace.encoder, trace.decoder)]
    filler = 2 if runner.pad_id == 1 else 1
    source, rows = (None if size is None else (filler,) * size for size in sizes)
    written = (*rows, filler) if rows and source else rows
    return Reading(source, written, Tokens((), ()), "", is_given=False)
