"""What a lesson says must hold of a checkpoint, measured over many sentences."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise, permutations

import numpy as np
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.edits import NO_EDITS
from model.interventions.kinds import Intervention, edits_of
from viz.lessons.lesson import Hold, Lesson, Measured
from viz.lessons.measures import (
    WITHOUT_MASK,
    WITHOUT_POSITIONS,
    choices_by_depth,
    draw,
    entropy_of_trace,
    loss_of,
    sharp_rows,
    unscaled,
    write_greedily,
)
from viz.lessons.places import find_head
from viz.lessons.readings import held_out_readings
from viz.lessons.referents import PRONOUNS, ItSentence, it_sentences
from viz.lessons.runs import Runs
from viz.run.head_roles import job_hits
from viz.run.record import KINDS

_ALIVE = ("cat", "dog", "man", "woman", "boy", "girl", "horse", "bird", "child", "teacher")


@dataclass(frozen=True)
class Measurement:
    """How much of what a lesson states there is."""

    hold: Hold
    checkpoint: str
    value: float
    count: int
    """Rows, tokens or sentences that the value is of; 0 where there are none."""

    @property
    def holds(self) -> bool:
        """Return whether it is as the lesson states."""
        low, high = self.hold.at_least, self.hold.at_most
        enough = low is None or self.value >= low
        return self.count > 0 and enough and (high is None or self.value <= high)


def measure_holds(lesson: Lesson, runs: Runs, most: int | None = None) -> tuple[Measurement, ...]:
    """Measure all that a lesson states, on each checkpoint that it names for it.

    Args:
        lesson: The lesson.
        runs: Gives the checkpoints.
        most: Sentences at most, where it must be quick.
    """
    found: list[Measurement] = []
    for hold in lesson.holds:
        count = hold.sentences if most is None else min(most, hold.sentences)
        for name in hold.checkpoints or (lesson.checkpoint,):
            value, of = measure(hold.measure, runs.checkpoint(name), count)
            found.append(Measurement(hold, name, value, of))
    return tuple(found)


def measure(name: Measured, checkpoint: Checkpoint, sentences: int) -> tuple[float, int]:
    """Measure one thing: its mean, and over how many rows, tokens or sentences.

    Raises:
        LessonError: Where the checkpoint has no head that is meant.
    """
    found = np.array(list(_MEASURES[name](checkpoint, sentences)), float)
    return (float(found.mean()), len(found)) if len(found) else (0.0, 0)


def _content(checkpoint: Checkpoint, count: int, *, only_jumps: bool = False) -> Iterable[bool]:
    """Content rows: whether the head reads the word that is about to be translated."""
    layer, head = find_head(checkpoint, "best at content words", least=0.0)
    for reading in held_out_readings(checkpoint, count):
        for row in reading.content_rows:
            if not only_jumps or reading.jumps(row):
                yield int(reading.most[layer, head, row]) in reading.gold[row]


def _own(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Content rows: whether the head reads the word that the row's own token translates."""
    layer, head = find_head(checkpoint, "best at content words")
    for reading in held_out_readings(checkpoint, count):
        for row in reading.content_rows:
            own = reading.gold.get(row - 1, frozenset()) - reading.gold[row]
            if own:
                yield int(reading.most[layer, head, row]) in own


def _negations(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    layer, head = find_head(checkpoint, "best at negations")
    for reading in held_out_readings(checkpoint, count):
        for row, word in enumerate(reading.written):
            if word in ("ne", "n'", "pas") and "not" in reading.source:
                yield reading.source[int(reading.most[layer, head, row])] == "not"


def _questions(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    layer, head = find_head(checkpoint, "best at question marks")
    for reading in held_out_readings(checkpoint, count):
        for row, word in enumerate(reading.written):
            if word == "est-ce" and "?" in reading.source:
                yield reading.source[int(reading.most[layer, head, row])] == "?"


def _it(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    layer, head = find_head(checkpoint, "best at referents of it")
    for sentence in _spread(it_sentences(checkpoint.info), count):
        weights, tokens = _row_of_it(checkpoint, sentence, layer, head)
        yield tokens[int(weights.argmax())] == sentence.referent


def _pronouns(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    for sentence in _spread(it_sentences(checkpoint.info), count):
        yield _pronoun(checkpoint, sentence) == sentence.pronoun


def _swapped(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Whether the other pronoun is written once the weights of the two nouns are swapped."""
    layer, head = find_head(checkpoint, "best at referents of it")
    for sentence in _spread(it_sentences(checkpoint.info), count):
        weights, tokens = _row_of_it(checkpoint, sentence, layer, head)
        one, other = tokens.index(sentence.referent), tokens.index(sentence.other)
        weights[[one, other]] = weights[[other, one]]
        name = f"encoder.layers.{layer}.self_attn.weights"
        rows = (tokens.index("it"),)
        painted = Intervention("paint", name, head=head, rows=rows, values=tuple(weights.tolist()))
        written = _pronoun(checkpoint, sentence, painted)
        yield written in PRONOUNS.values() and written != sentence.pronoun


def _cut(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Whether the pronoun stays right without the head that finds what it stands for."""
    layer, head = find_head(checkpoint, "best at referents of it")
    cut = Intervention("zero", f"encoder.layers.{layer}.self_attn.heads", head=head)
    for sentence in _spread(it_sentences(checkpoint.info), count):
        yield _pronoun(checkpoint, sentence, cut) == sentence.pronoun


def _nouns(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    layer, head = find_head(checkpoint, "best at nouns of determiners and adjectives")
    hits = job_hits(checkpoint, "modifier_noun", count)
    return hits[layer, head].tolist()


def _same_swapped(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Whether "the cat sees the dog" and its swap are the same French without positions."""
    edits = edits_of((WITHOUT_POSITIONS,), checkpoint.model)
    tokenizers = checkpoint.info.tokenizers
    known = [w for w in _ALIVE if w in tokenizers.source.all_tokens]
    for one, other in islice(permutations(known, 2), count):
        texts = f"the {one} sees the {other} .", f"the {other} sees the {one} ."
        ids = [tokenizers.encode_source(text).ids for text in texts]
        written = {write_greedily(checkpoint, i, edits) for i in ids}
        yield len(written) == 1 and len(min(written)) > 1  # more than the end


def _right(
    checkpoint: Checkpoint, count: int, *changed: Intervention, temperature: float = 0.0
) -> Iterable[bool]:
    edits = edits_of(changed, checkpoint.model) if changed else NO_EDITS
    for number, reading in enumerate(held_out_readings(checkpoint, count)):
        source, target = reading.example.source, reading.example.target[1:]
        if temperature:
            yield draw(checkpoint, source, temperature, number) == target
        else:
            yield write_greedily(checkpoint, source, edits) == target


def _entropy(checkpoint: Checkpoint, count: int) -> Iterable[float]:
    """Entropy of all rows without the scale, as a share of that with it."""
    edits = edits_of(unscaled(checkpoint), checkpoint.model)
    both = zip(
        held_out_readings(checkpoint, count),
        held_out_readings(checkpoint, count, edits=edits),
        strict=True,
    )
    for before, after in both:
        of = [
            sum(entropy_of_trace(checkpoint, reading.trace, kind) for kind in KINDS)
            for reading in (before, after)
        ]
        yield of[1] / of[0]


def _sharp(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Rows of the encoder without its scale: whether one token has nearly all of the weight."""
    edits = edits_of(unscaled(checkpoint)[:1], checkpoint.model)
    for reading in held_out_readings(checkpoint, count, edits=edits):
        yield from sharp_rows(checkpoint, reading.trace, "encoder self-attention").tolist()


def _loss(checkpoint: Checkpoint, count: int) -> Iterable[float]:
    """What the loss of the right text gains when every row sees all of it, in nats a token."""
    edits = edits_of((WITHOUT_MASK,), checkpoint.model)
    for reading in held_out_readings(checkpoint, count):
        source, target = reading.example.source, reading.example.target[1:]
        before = loss_of(checkpoint, source, target, seen=True)
        yield loss_of(checkpoint, source, target, edits, seen=True) - before


def _future(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Rows of the first layer: whether some head has over half of its weight on what follows."""
    edits = edits_of((WITHOUT_MASK,), checkpoint.model)
    for reading in held_out_readings(checkpoint, count, edits=edits):
        decoder = reading.trace.decoder
        if decoder is not None:
            later = decoder.layers[0].self_attn.weights[0].triu(1).sum(dim=-1)
            yield from (later.amax(dim=0) > 0.5)[:-1].tolist()


def _by_depth(depth: int, checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    for reading in held_out_readings(checkpoint, count):
        chosen = choices_by_depth(checkpoint.model, reading.trace)
        yield from (chosen[depth] == torch.tensor(reading.example.target[1:])).tolist()


def _after_cross(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Tokens that are the first choice before the last feed-forward."""
    for reading in held_out_readings(checkpoint, count):
        decoder = reading.trace.decoder
        state = decoder.layers[-1].after_cross_attn if decoder else None
        if state is not None:
            with torch.inference_mode():
                chosen = checkpoint.model.generate(state)[0][0].argmax(dim=-1)
            yield from (chosen == torch.tensor(reading.example.target[1:])).tolist()


def _row_of_it(
    checkpoint: Checkpoint, sentence: ItSentence, layer: int, head: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    read = checkpoint.info.tokenizers.encode_source(sentence.source)
    with torch.inference_mode():
        trace = checkpoint.model(torch.tensor([read.ids]), torch.tensor([[1]]))
    encoder = trace.encoder
    if encoder is None:
        raise LookupError("a model that translates has an encoder")
    row = encoder.layers[layer].self_attn.weights[0, head, read.tokens.index("it")]
    return row.numpy().copy(), read.tokens


def _pronoun(checkpoint: Checkpoint, sentence: ItSentence, *changed: Intervention) -> str | None:
    """Return the word after "parce qu'", as the model writes it with some changes."""
    edits = edits_of(changed, checkpoint.model) if changed else NO_EDITS
    tokenizers = checkpoint.info.tokenizers
    ids = write_greedily(checkpoint, tokenizers.encode_source(sentence.source).ids, edits)
    tokens = tokenizers.target.tokens(ids)
    return next((after for word, after in pairwise(tokens) if word == "qu'"), None)


def _spread(sentences: tuple[ItSentence, ...], count: int) -> tuple[ItSentence, ...]:
    """Take so many of them, from all parts of the list."""
    return sentences[:: max(1, -(-len(sentences) // count))]


_MEASURES: Mapping[Measured, Callable[[Checkpoint, int], Iterable[float]]] = {
    "content words read": _content,
    "jumps read": partial(_content, only_jumps=True),
    "row reads its own word": _own,
    "negations read": _negations,
    "questions read their mark": _questions,
    "it reads its referent": _it,
    "il or elle follows the referent": _pronouns,
    "swapped weights swap the pronoun": _swapped,
    "one head of it cut keeps the pronoun": _cut,
    "determiners and adjectives read their noun": _nouns,
    "same text without positions": _same_swapped,
    "right text without positions": lambda checkpoint, count: _right(
        checkpoint, count, WITHOUT_POSITIONS
    ),
    "entropy without the scale": _entropy,
    "sharp rows without the encoder's scale": _sharp,
    "right texts without the encoder's scale": lambda checkpoint, count: _right(
        checkpoint, count, unscaled(checkpoint)[0]
    ),
    "loss without the causal mask": _loss,
    "weight on the future without the causal mask": _future,
    "right samples at temperature 1": partial(_right, temperature=1.0),
    "right samples at temperature one half": partial(_right, temperature=0.5),
    "top choice at the embedding": partial(_by_depth, 0),
    "top choice after the first layer": partial(_by_depth, 1),
    "top choice at the end": partial(_by_depth, -1),
    "top choice before the last feed-forward": _after_cross,
    "right texts": _right,
}
