"""Snapshots of one training: the text that the model wrote, its scores, and its attention."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.checkpoints.checkpoint_files import list_checkpoints
from model.checkpoints.metadata import CheckpointInfo
from model.text.corpus import Example, make_example
from model.text.tokenizer import Tokenizers
from model.traces import AttentionTrace, TransformerTrace, present
from model.training.evaluation import evaluate, greedy_batch
from model.training.loop import Recipe
from model.transformer import Transformer
from sample_data.gold import find_gold
from sample_data.pairs import Pair
from sample_data.tasks import TASKS, load_held_out
from sample_data.training_corpus import encode_pairs
from viz.run.axes import KINDS, AttentionKind, name_axes

EVALUATED = 100
"""The number of held-out pairs on which a snapshot without recorded scores is evaluated."""
_EXAMPLES = 6
"""The number of held-out sentences to offer if a small vocabulary lacks the task's examples."""
_WORDS = 8
"""The best length of such a sentence: heads have a choice, and it is read at a glance."""
_MORE_TOKENS = 4
"""The number of tokens that a snapshot may write beyond the length of the correct target."""
_SNAPSHOT = re.compile(r"(?P<series>.+)-(?P<step>\d{6})")


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of a model on held-out pairs."""

    exact_match: float
    loss: float
    """The loss per target token in nats, without label smoothing."""
    heads: Mapping[tuple[int, int], float]
    """For each (layer, head) of cross-attention, the share of target tokens whose row has its
    largest weight on a gold source token."""
    chance: float | None
    """The same share for a head with random attention."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Scores":
        """Read the result of `Evaluation.to_dict`."""
        heads = {(h["layer"], h["head"]): h["all_tokens"] for h in values.get("heads", ())}
        return cls(values["exact_match"], values["loss"], heads, values.get("chance"))


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A model at one step of its training, on one sentence."""

    step: int
    written: str
    """The text that the model itself writes, greedily."""
    right: bool
    scores: Scores
    weights: Mapping[AttentionKind, Float[np.ndarray, "layer head query key"]]
    """A pass with the correct target forced, so that the rows of all snapshots are equal."""


@dataclass(frozen=True, eq=False)
class TimeLapse:
    """A training, shown by its snapshots on one sentence."""

    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    """The tokens of the correct target, from `<s>` to `</s>`."""
    masks: Mapping[AttentionKind, Bool[np.ndarray, "query key"]]
    """True if a query may read a key."""
    snapshots: tuple[Snapshot, ...]
    loss_steps: tuple[int, ...]
    """The steps of the points of the loss curve."""
    losses: tuple[float, ...]
    """The smoothed cross-entropy of the training batches, in nats."""
    rates: tuple[float, ...]
    """The learning rates at the same steps."""
    steps: int
    """The number of steps of the training."""

    def axis_tokens(self, kind: AttentionKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name the rows and columns, a decoder row after the token that it should write."""
        return name_axes(kind, self.source_tokens, self.target_tokens)


def find_series(folder: Path) -> dict[str, tuple[Path, ...]]:
    """Find trainings that left snapshots, NAME-STEP with six digits, the earliest step first."""
    found: dict[str, list[Path]] = {}
    for path in list_checkpoints(folder):
        if match := _SNAPSHOT.fullmatch(path.name):
            found.setdefault(match["series"], []).append(path)
    return {name: tuple(paths) for name, paths in found.items() if len(paths) > 1}


def step_of(path: Path) -> int:
    """Read a snapshot's step from its name."""
    return int(path.name.rpartition("-")[2])


def examples_of(task: str, tokenizers: Tokenizers) -> tuple[Pair, ...]:
    """Return the task's examples whose words the model has and whose correct target is known.

    If too few are left, held-out sentences of a medium length come first.
    """
    if task not in TASKS:
        return ()

    def known(pairs: Iterable[Pair | None]) -> list[Pair]:
        return [p for p in pairs if p and not tokenizers.encode_source(p.source).unknown]

    found = known(find_gold(task, source) for source in TASKS[task].examples)
    if len(found) < 2:
        others = sorted(known(load_held_out(task)), key=_lack_of_words)
        found = [*others[:_EXAMPLES], *found]
    return tuple(found)


def _lack_of_words(pair: Pair) -> int:
    return abs(len(pair.source.split()) - _WORDS)


def read_time_lapse(paths: Sequence[Path], pair: Pair) -> TimeLapse:
    """Run every snapshot of a series on a pair. Raises CheckpointError if one is broken."""
    snapshots = []
    info, trace, example = None, None, None
    for path in paths:
        checkpoint = load_checkpoint(path)
        info = checkpoint.info
        example = make_example(info.tokenizers, pair.source, pair.target, pair.alignment)
        scores = Scores.of(info.scores) if "exact_match" in info.scores else _score(checkpoint)
        snapshot, trace = take_snapshot(
            checkpoint.model, info.tokenizers, example, step_of(path), scores
        )
        snapshots.append(snapshot)
    if info is None or trace is None or example is None:
        raise ValueError("a time-lapse needs at least one snapshot, got none")
    steps, losses, rates = _curves(info)
    return TimeLapse(
        source_tokens=info.tokenizers.source.tokens(example.source),
        target_tokens=info.tokenizers.target.tokens(example.target),
        masks=attention_masks(trace),
        snapshots=tuple(snapshots),
        loss_steps=steps,
        losses=losses,
        rates=rates,
        steps=snapshots[-1].step,
    )


def take_snapshot(
    model: Transformer, tokenizers: Tokenizers, example: Example, step: int, scores: Scores
) -> tuple[Snapshot, TransformerTrace]:
    """Evaluate the current model; its mode and the state of random numbers stay as they were."""
    was_training = model.training
    model.eval()
    source, target = torch.tensor([example.source]), torch.tensor([example.target])
    with torch.inference_mode():
        longest = len(example.target) - 1 + _MORE_TOKENS
        (ids,) = greedy_batch(model, source, max_length=longest)
        trace = model(source, target[:, :-1])
    model.train(was_training)
    weights: dict[AttentionKind, Float[np.ndarray, "layer head query key"]] = {
        kind: torch.cat([attention.weights for attention in attentions(trace, kind)]).numpy()
        for kind in KINDS
    }
    written = tokenizers.target.decode(ids)
    return Snapshot(step, written, ids == example.target[1:], scores, weights), trace


def attentions(trace: TransformerTrace, kind: AttentionKind) -> list[AttentionTrace]:
    """List the attentions of one kind, the lowest layer first."""
    if kind == "encoder self-attention":
        return [layer.self_attn for layer in present(trace.encoder).layers]
    if kind == "cross-attention":
        return [present(layer.cross_attn) for layer in present(trace.decoder).layers]
    return [layer.self_attn for layer in present(trace.decoder).layers]


def attention_masks(
    trace: TransformerTrace,
) -> dict[AttentionKind, Bool[np.ndarray, "query key"]]:
    """Return the mask of each kind, which all layers share, at full size."""
    masks: dict[AttentionKind, Bool[np.ndarray, "query key"]] = {}
    for kind in KINDS:
        attention = attentions(trace, kind)[0]
        masks[kind] = attention.mask[0].expand(attention.weights.shape[-2:]).numpy()
    return masks


def _curves(info: CheckpointInfo) -> tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]:
    """Read the recorded losses, and compute the learning rates from the recorded recipe."""
    record = info.training
    losses = tuple(record.get("losses", ()))
    if not losses:
        return (), (), ()
    last, every = int(record["step"]), int(record["loss_every"])
    steps = tuple(min((i + 1) * every, last) for i in range(len(losses)))
    recipe = Recipe(**{f.name: record[f.name] for f in fields(Recipe) if f.name in record})
    return steps, losses, tuple(recipe.rate(step, info.config.d_model) for step in steps)


def _score(checkpoint: Checkpoint) -> Scores:
    info = checkpoint.info
    held_out = encode_pairs(load_held_out(info.task)[:EVALUATED], info.tokenizers)
    return Scores.of(evaluate(checkpoint.model, held_out).to_dict())
