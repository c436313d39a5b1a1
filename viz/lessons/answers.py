"""Computes the answers of a lesson from a run: the options to click, and which one is right."""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from model.checkpoints.checkpoint import Checkpoint
from viz.lessons.faults import refuse
from viz.lessons.lesson import LEAST_MARGIN, Answer, AnswerKind, Step
from viz.lessons.measures import (
    DEPTHS,
    choices_by_depth,
    draw,
    loss_of,
    mean_entropy,
    mean_gradient,
    sharp_share,
    weights_of_kind,
)
from viz.lessons.numbers import counted, given_number
from viz.lessons.places import find_word
from viz.lessons.resolved_step import Option, Place, Runs, Sharpness, Surface, Truth
from viz.run.axes import KINDS, all_heads, attention_trace, axis_tokens
from viz.run.record import Run, probability

_SAME, _CLEAR = 0.02, 0.1
"""Relative differences: up to the first a number counts as the same, from the second as changed."""


@dataclass(frozen=True)
class Asked:
    """The inputs from which an answer is computed."""

    step: Step
    answer: Answer
    checkpoint: Checkpoint
    run: Run
    """The run with the edits of the step."""
    plain: Run
    """The run without them."""
    place: Place | None
    runs: Runs

    @property
    def row(self) -> int:
        """The row in question. Raises LessonError if the step names none."""
        if self.place is None or self.place.query is None:
            raise refuse("see", "needs_see", fields=("writes", "reads"))
        return self.place.query


@dataclass(frozen=True)
class Found:
    """The answer of a step, with its options."""

    surface: Surface
    options: tuple[Option, ...]
    truth: Truth
    simple: str | None = None


def find_answer(asked: Asked) -> Found:
    """Compute the answer of a step.

    Raises:
        LessonError: If there is no answer, or if two are equally good.
    """
    return _KINDS[asked.answer.kind](asked)


def _largest(asked: Asked) -> Found:
    if asked.answer.over == "heads":
        return _largest_head(asked)
    place, row = asked.place, asked.row
    if place is None or place.layer is None or place.head is None:
        raise refuse("see.head", "needs_see", fields=("head",))
    weights = attention_trace(asked.run, place.kind, place.layer).weights[0, place.head]
    tokens = axis_tokens(asked.run, place.kind)[1]
    values = weights[row].tolist()
    options = tuple(
        Option(str(key), token, value, token)
        for key, (token, value) in enumerate(zip(tokens, values, strict=True))
        if place.kind != "decoder self-attention" or key <= row  # later tokens do not exist yet
    )
    truth = _clear(options)
    if place.kind == "cross-attention":
        simple = 0 if row == 0 else int(weights[row - 1].argmax()) + 1
    else:
        simple = row + 1
    return Found("key", options, truth, str(simple) if simple < len(tokens) else None)


def _largest_head(asked: Asked) -> Found:
    place = asked.place
    if place is None:
        raise refuse("see", "needs_see", fields=("kind",))
    tokens = axis_tokens(asked.run, place.kind)[1]
    key = find_word(tokens, asked.answer.word, "answer.word")
    values = all_heads(asked.run, place.kind)[:, :, asked.row, key].ravel()
    each = asked.run.info.config.n_heads
    options = tuple(
        Option(f"{n // each}.{n % each}", f"L{n // each} H{n % each}", float(value))
        for n, value in enumerate(values)
    )
    return Found("head", options, _clear(options))


def _clear(options: tuple[Option, ...]) -> Truth:
    """Return the option with the largest value. Raises LessonError if another is too close."""
    ranked = sorted(options, key=lambda option: -(option.value or 0.0))
    first, second = ranked[0], ranked[1] if len(ranked) > 1 else None
    margin = (first.value or 0.0) - (second.value or 0.0 if second else 0.0)
    if second and margin < LEAST_MARGIN:
        raise refuse(
            "answer",
            "too_near",
            first=first.value,
            one=first.shown,
            second=second.value,
            other=second.shown,
            least=LEAST_MARGIN,
        )
    return Truth(first.name, first.value)


def _row_that_writes(asked: Asked) -> Found:
    written, read = asked.run.target_tokens[1:], asked.run.target_tokens[:-1]
    row = find_word(written, asked.answer.word, "answer.word")
    options = tuple(Option(str(n), token, None, token) for n, token in enumerate(read))
    simple = str(row + 1) if row + 1 < len(read) else None
    return Found("row", options, Truth(str(row)), simple)


def _written(asked: Asked) -> Found:
    words = tuple(chip.name for chip in asked.answer.chips)
    tokens = asked.run.target_tokens[1:]
    if asked.row >= len(tokens):
        raise refuse("answer.words", "writes_nothing")
    word = tokens[asked.row]
    if word not in words:
        raise refuse("answer.words", "writes_other", word=word)
    before = asked.plain.target_tokens[asked.row + 1]
    return Found("chip", _chips(words), Truth(word), before if before in words else None)


def _same(asked: Asked) -> Found:
    interventions, name = asked.run.interventions, asked.run.info.name
    other = asked.runs.run(name, asked.answer.source, "", interventions)
    if unknown := other.source.unknown:
        raise refuse("answer.source", "unknown", word=unknown[0].text)
    truth = "same" if other.text == asked.run.text else "different"
    options = _chips(("same", "different"))
    return Found("chip", options, Truth(truth, texts=(asked.run.text, other.text)))


def _number(asked: Asked) -> Found:
    if asked.answer.of == "probability of the text":
        value = math.prod(probability(step) for step in asked.run.steps)
    else:
        value = given_number(asked.answer, asked.checkpoint.model, asked.plain, asked.run)
    return Found("number", (), Truth(f"{value:.2f}", value))


def _count(asked: Asked) -> Found:
    match asked.answer.of:
        case "right samples":
            value = _right_samples(asked)
        case "keys in reach":
            value = _in_reach(asked)
        case _:
            row = asked.place.query if asked.place else None
            value = counted(asked.answer, asked.plain, asked.run, row)
    return Found("number", (), Truth(str(value), float(value)))


def _in_reach(asked: Asked) -> int:
    """Count the keys that the row in question may read."""
    row = asked.row
    attention = attention_trace(asked.run, asked.place.kind if asked.place else KINDS[0], 0)
    return int(attention.mask[0].expand(attention.weights.shape[-2:])[row].sum())


def _right_samples(asked: Asked) -> int:
    source, right = asked.run.source.ids, asked.run.target_ids[1:]
    warmth = asked.answer.temperature
    seeds = range(asked.answer.samples)
    return sum(draw(asked.checkpoint, source, warmth, seed) == right for seed in seeds)


def _order(asked: Asked) -> Found:
    """Give the snapshots letters whose order does not reveal their steps of training."""
    named = {name: asked.runs.checkpoint(name) for name in asked.answer.checkpoints}
    if len({checkpoint.info.training.get("step") for checkpoint in named.values()}) != len(named):
        raise refuse("answer.checkpoints", "same_step")
    drawn = sorted(named, key=lambda name: _drawn(f"{name} {asked.step.source}"))
    letters = dict(zip(drawn, "ABC", strict=True))
    steps = {name: int(checkpoint.info.training["step"]) for name, checkpoint in named.items()}
    right = sorted(named, key=steps.__getitem__)
    options = tuple(Option(letters[name], letters[name], checkpoint=name) for name in drawn)
    return Found("order", options, Truth(" ".join(letters[name] for name in right)))


def _drawn(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _depth(asked: Asked) -> Found:
    chosen = choices_by_depth(asked.checkpoint.model, asked.run.trace)[:, asked.row]
    if len(chosen) != len(DEPTHS):
        raise refuse("answer", "two_layers", count=len(chosen) - 1)
    first = torch.nonzero(chosen == asked.run.target_ids[asked.row + 1]).flatten()
    if not len(first):
        raise refuse("answer", "no_depth")
    words = asked.checkpoint.info.tokenizers.target.all_tokens
    texts = tuple(words[i] for i in chosen.tolist())
    return Found("chip", _chips(DEPTHS), Truth(DEPTHS[int(first[0])], texts=texts))


def _choice(asked: Asked) -> Found:
    before, after = (_compared(asked, run) for run in (asked.plain, asked.run))
    change = (after - before) / max(abs(before), 1e-9)
    if abs(change) <= _SAME:
        name = "same"
    elif abs(change) >= _CLEAR:
        name = "more" if change > 0 else "less"
    else:
        raise refuse("answer", "changes_little", before=before, after=after)
    sharpness = _sharpness(asked)
    truth = Truth(name, after, sharpness, before=None if sharpness else before)
    return Found("chip", _chips(("less", "same", "more")), truth)


def _sharpness(asked: Asked) -> Sharpness | None:
    place, runs = asked.place, (asked.plain, asked.run)
    if asked.answer.of not in ("entropy of the kind", "gradient of the kind") or place is None:
        return None
    rows = [weights_of_kind(asked.checkpoint, run.trace, place.kind) for run in runs]
    return Sharpness(
        *(sharp_share(weights) for weights in rows),
        *(mean_gradient(weights) for weights in rows),
        same_text=asked.plain.text == asked.run.text,
    )


def _compared(asked: Asked, run: Run) -> float:
    place = asked.place
    if place is None:
        raise refuse("see", "needs_see", fields=("kind",))
    match asked.answer.of:
        case "entropy of the kind":
            return mean_entropy(weights_of_kind(asked.checkpoint, run.trace, place.kind))
        case "gradient of the kind":
            return mean_gradient(weights_of_kind(asked.checkpoint, run.trace, place.kind))
        case "largest weight":
            layer, head = place.layer or 0, place.head or 0
            weights = attention_trace(run, place.kind, layer).weights[0, head, asked.row]
            return float(weights.max())
        case _:
            ids = asked.plain.target_ids[1:]
            source = asked.plain.source.ids
            return loss_of(asked.checkpoint, source, ids, run.edits)


def _chips(names: tuple[str, ...]) -> tuple[Option, ...]:
    return tuple(Option(name, name, None, name) for name in names)


_KINDS: Mapping[AnswerKind, Callable[[Asked], Found]] = {
    "largest": _largest,
    "row_that_writes": _row_that_writes,
    "written": _written,
    "same": _same,
    "number": _number,
    "count": _count,
    "order": _order,
    "depth": _depth,
    "choice": _choice,
}
