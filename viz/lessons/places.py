"""Finds the heads, rows and columns that a lesson names by role."""

from collections.abc import Callable, Sequence
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
from jaxtyping import Float

from model.checkpoints.checkpoint import Checkpoint
from model.files.json_fields import shorten
from viz.heads.head_roles import job_hits
from viz.lessons.faults import nearest, refuse
from viz.lessons.lesson import HeadName, See
from viz.lessons.readings import held_out_readings
from viz.run.axes import AttentionKind
from viz.run.record import Run

_SENTENCES = 100
_OF_PRONOUNS = 1000
"""Sentences for jobs about "it": only one in twenty has an "it" with a known referent."""
LEAST_RATE = 0.5
"""Least share of the rows in which a head has to do its job."""

Rates = Float[np.ndarray, "layer head"]
_found: "WeakKeyDictionary[Checkpoint, dict[HeadName, Rates]]" = WeakKeyDictionary()


def kind_of(name: HeadName) -> AttentionKind:
    """Return the kind of attention whose heads are compared."""
    return _HEADS[name][0]


def find_head(checkpoint: Checkpoint, name: HeadName, least: float = LEAST_RATE) -> tuple[int, int]:
    """Find layer and head of the best head for a job; among equals the last.

    Raises:
        LessonError: If no head of this model does it in at least this share of the rows.
    """
    rates = head_rates(checkpoint, name)
    if not rates.size or float(rates.max()) < least:
        said = {"name": checkpoint.info.name, "head": name, "least": least}
        if not rates.size:
            raise refuse("see.head", "no_head", **said)
        raise refuse("see.head", "weak_head", most=float(rates.max()), **said)
    last = rates.size - 1 - int(rates[::-1, ::-1].argmax())
    return divmod(last, rates.shape[1])


def head_rates(checkpoint: Checkpoint, name: HeadName) -> Rates:
    """Return how often each head of an attention does a job, 0 to 1; kept per checkpoint."""
    known = _found.setdefault(checkpoint, {})
    if name not in known:
        known[name] = _HEADS[name][1](checkpoint)
    return known[name]


def find_row(run: Run, see: See) -> int:
    """Find the row that a step looks at.

    Raises:
        LessonError: If the run has no such word there, or fewer of them.
    """
    field, word = ("writes", see.writes) if see.writes else ("reads", see.reads)
    if see.kind == "encoder self-attention":
        if field == "writes":
            raise refuse("see.writes", "encoder_writes")
        tokens = run.source.tokens
    else:
        tokens = run.target_tokens[1:] if field == "writes" else run.target_tokens[:-1]
    return find_word(tokens, word, f"see.{field}", see.place)


def find_word(tokens: Sequence[str], word: str, place: str, number: int = 1) -> int:
    """Find a token by its word. Raises LessonError if the word does not occur that often."""
    at = [i for i, token in enumerate(tokens) if token == word]
    if not at:
        close = nearest(word, tokens)
        raise refuse(place, "no_word", close, word=shorten(word), text=" ".join(tokens))
    if number > len(at):
        raise refuse(place, "place", number=number, word=shorten(word), count=len(at))
    return at[number - 1]


def _stored(measure: str, checkpoint: Checkpoint) -> Rates:
    """Return a measure of the heads from the checkpoint's file, taken on its held-out sentences."""
    info = checkpoint.info
    heads = info.scores.get("heads")
    if not isinstance(heads, list) or not info.config.has_cross_attention:
        return np.zeros((0, 0))
    rates = np.zeros((info.config.n_decoder_layers, info.config.n_heads))
    for found in heads:
        rates[found["layer"], found["head"]] = found.get(measure) or 0.0
    return rates


def _followed_copies(checkpoint: Checkpoint) -> Rates:
    """Return the scores of the heads from the file of a model of one text (held-out texts)."""
    config = checkpoint.info.config
    rates = np.zeros((config.n_decoder_layers, config.n_heads))
    for found in checkpoint.info.scores.get("looks", ()):
        rates[found["layer"], found["head"]] = found["looks"]
    return rates


def _job(name: str, checkpoint: Checkpoint, *, sentences: int = _SENTENCES) -> Rates:
    """Compute over held-out sentences how often each head does a job of the catalogue."""
    hits = job_hits(checkpoint, name, sentences)
    return hits.mean(axis=-1) if hits.size else np.zeros((0, 0))


def _reading(read: str, writing: tuple[str, ...], checkpoint: Checkpoint) -> Rates:
    """Count how often the rows that write one of some words read another word most.

    Only sentences that have both count.
    """
    info = checkpoint.info
    right, count = np.zeros((info.config.n_decoder_layers, info.config.n_heads)), 0
    for reading in held_out_readings(checkpoint, _SENTENCES):
        for row, word in enumerate(reading.written):
            if word in writing and read in reading.source:
                right += np.array(reading.source)[reading.most[:, :, row]] == read
                count += 1
    return right / max(count, 1)


_HEADS: dict[HeadName, tuple[AttentionKind, Callable[[Checkpoint], Rates]]] = {
    "best at content words": ("cross-attention", partial(_stored, "content_words")),
    "best at all tokens": ("cross-attention", partial(_stored, "all_tokens")),
    "best at negations": ("cross-attention", partial(_reading, "not", ("ne", "n'"))),
    "best at referents of it": (
        "encoder self-attention",
        partial(_job, "it_referent", sentences=_OF_PRONOUNS),
    ),
    "best at nouns of determiners and adjectives": (
        "encoder self-attention",
        partial(_job, "modifier_noun"),
    ),
    "best at the token before": ("encoder self-attention", partial(_job, "reads_before")),
    "best at what followed copies": ("decoder self-attention", _followed_copies),
}
