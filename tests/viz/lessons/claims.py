"""Measures of what the lessons claim about the checkpoints, over many sentences."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice, pairwise, permutations

import numpy as np
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.decoding.greedy import greedy
from model.edits import NO_EDITS, Edits
from model.interventions.kinds import Intervention, edits_of
from tests.viz.lessons.referents import PRONOUNS, ItSentence, it_sentences
from viz.heads.head_roles import job_hits
from viz.lessons.lesson import HeadName
from viz.lessons.measures import (
    Weights,
    choices_by_depth,
    draw,
    loss_of,
    mean_entropy,
    mean_gradient,
    sharp_share,
    weights_of_kind,
)
from viz.lessons.places import find_head
from viz.lessons.readings import Reading, held_out_readings
from viz.run.axes import KINDS

FIRST = "everyday-paper-0"
WITHOUT_MASK = Intervention("set", "decoder.layers.*.self_attn.mask", amount=1.0)
WITHOUT_POSITIONS = Intervention("zero", "source_embedding.positions")
WITHOUT_FIRST_ATTENTION = Intervention("zero", "encoder.layers.0.self_attn.output")
WITHOUT_FIRST_FEED_FORWARD = Intervention("zero", "encoder.layers.0.feed_forward.output")
_ALIVE = ("cat", "dog", "man", "woman", "boy", "girl", "horse", "bird", "child", "teacher")


CLAIMS: tuple[tuple[str, str, float, float], ...] = (
    ("content words read", FIRST, 0.95, 1),
    ("jumps read", FIRST, 0.9, 1),
    ("row reads its own word", FIRST, 0, 0.02),
    ("negations read", FIRST, 0.98, 1),
    ("it reads its referent", FIRST, 0.98, 1),
    ("il or elle follows the referent", FIRST, 0.98, 1),
    ("swapped weights swap the pronoun", FIRST, 0.95, 1),
    ("one head of it cut keeps the pronoun", FIRST, 0, 0.75),
    ("determiners and adjectives read their noun", FIRST, 0.85, 1),
    ("same text without positions", FIRST, 0.99, 1),
    ("right text without positions", FIRST, 0, 0.3),
    ("entropy without the scale", FIRST, 0, 0.6),
    ("sharp rows", FIRST, 0, 0.3),
    ("sharp rows without the encoder's scale", FIRST, 0.35, 1),
    ("gradient", FIRST, 0.3, 1),
    ("gradient without the encoder's scale", FIRST, 0, 0.25),
    ("adjectives agree without the values of their head", FIRST, 0, 0.9),
    ("another head cut keeps the pronoun", FIRST, 0.9, 1),
    ("loss without the causal mask", FIRST, 1, 100),
    ("weight on the future without the causal mask", FIRST, 0.6, 1),
    ("right text without the first attention", FIRST, 0.3, 0.7),
    ("right text without the first feed-forward", FIRST, 0, 0.2),
    ("right samples at temperature 1", FIRST, 0.2, 0.7),
    ("right samples at temperature one half", FIRST, 0.9, 1),
    ("right texts", FIRST, 0.9, 1),
    ("top choice at the embedding", FIRST, 0, 0.05),
    ("top choice after the first layer", FIRST, 0, 0.3),
    ("top choice at the end", FIRST, 0.98, 1),
    ("content words read", "time-lapse/everyday-timelapse-000000", 0, 0.4),
    ("content words read", "time-lapse/everyday-timelapse-000200", 0, 0.4),
    ("content words read", "time-lapse/everyday-timelapse-004000", 0.9, 1),
)
"""The claims of the lessons: measure, checkpoint, and the least and greatest value allowed."""


def measure(name: str, checkpoint: Checkpoint, sentences: int) -> float:
    """Return the mean of a measure over rows, tokens or sentences."""
    return float(np.mean(list(MEASURES[name](checkpoint, sentences))))


def write_greedily(
    checkpoint: Checkpoint, source: Sequence[int], edits: Edits = NO_EDITS
) -> tuple[int, ...]:
    """Return the ids that the model writes, `</s>` included."""
    return tuple(s.token for s in greedy(checkpoint.model, torch.tensor([source]), edits=edits))


def unscaled(checkpoint: Checkpoint) -> tuple[Intervention, ...]:
    """Return changes that undo the division by √d_k in every attention."""
    root = math.sqrt(checkpoint.info.config.d_k)
    stacks = ("encoder.layers.*.self_attn", "decoder.layers.*.self_attn")
    names = (*stacks, "decoder.layers.*.cross_attn")
    return tuple(Intervention("scale", f"{name}.scores", amount=root) for name in names)


def _content(checkpoint: Checkpoint, count: int, *, only_jumps: bool = False) -> Iterable[bool]:
    """Yield whether the head reads, in a content row, the word about to be translated."""
    layer, head = find_head(checkpoint, "best at content words", least=0.0)
    for reading in held_out_readings(checkpoint, count):
        for row in reading.content_rows:
            if not only_jumps or _jumps(reading, row):
                yield int(reading.most[layer, head, row]) in reading.gold[row]


def _own(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Yield whether the head reads, in a content row, the word that the row's token translates."""
    layer, head = find_head(checkpoint, "best at content words")
    for reading in held_out_readings(checkpoint, count):
        for row in reading.content_rows:
            own = reading.gold.get(row - 1, frozenset()) - reading.gold[row]
            if own:
                yield int(reading.most[layer, head, row]) in own


def _jumps(reading: Reading, row: int) -> bool:
    """Return whether the word to read is neither next to the last row's nor on the diagonal."""
    before = reading.gold.get(row - 1)
    following = max(before) + 1 if before else 0
    return following not in reading.gold[row] and row not in reading.gold[row]


def _reads(
    name: HeadName, read: str, words: Sequence[str], checkpoint: Checkpoint, count: int
) -> Iterable[bool]:
    """Yield, for each row that writes one of `words`, whether the head reads the word `read`."""
    layer, head = find_head(checkpoint, name)
    for reading in held_out_readings(checkpoint, count):
        for row, word in enumerate(reading.written):
            if word in words and read in reading.source:
                yield reading.source[int(reading.most[layer, head, row])] == read


def _it(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    layer, head = find_head(checkpoint, "best at referents of it")
    for sentence in _spread(it_sentences(checkpoint.info), count):
        weights, tokens = _row_of_it(checkpoint, sentence, layer, head)
        yield tokens[int(weights.argmax())] == sentence.referent


def _pronouns(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    for sentence in _spread(it_sentences(checkpoint.info), count):
        yield _pronoun(checkpoint, sentence) == sentence.pronoun


def _swapped(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Yield whether the model writes the other pronoun if the weights of the nouns are swapped."""
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


def _cut(name: HeadName, checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Yield whether the pronoun stays right if the head is cut."""
    layer, head = find_head(checkpoint, name)
    cut = Intervention("zero", f"encoder.layers.{layer}.self_attn.heads", head=head)
    for sentence in _spread(it_sentences(checkpoint.info), count):
        yield _pronoun(checkpoint, sentence, cut) == sentence.pronoun


def _nouns(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    layer, head = find_head(checkpoint, "best at nouns of determiners and adjectives")
    hits = job_hits(checkpoint, "modifier_noun", count)
    return hits[layer, head].tolist()


def _same_swapped(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Yield whether "the cat sees the dog" and its swap get the same French without positions."""
    edits = edits_of((WITHOUT_POSITIONS,), checkpoint.model)
    tokenizers = checkpoint.info.tokenizers
    known = [w for w in _ALIVE if w in tokenizers.source.all_tokens]
    for one, other in islice(permutations(known, 2), count):
        texts = f"the {one} sees the {other} .", f"the {other} sees the {one} ."
        ids = [tokenizers.encode_source(text).ids for text in texts]
        written = {write_greedily(checkpoint, i, edits) for i in ids}
        yield len(written) == 1 and len(min(written)) > 1  # more than `</s>`


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


def _agreeing(checkpoint: Checkpoint, count: int) -> Iterable[float]:
    """Yield the right texts if the noun head's values are zero, as a share of those unchanged."""
    layer, head = find_head(checkpoint, "best at nouns of determiners and adjectives")
    silent = Intervention("zero", f"encoder.layers.{layer}.self_attn.value", head=head)
    yield sum(_right(checkpoint, count, silent)) / sum(_right(checkpoint, count))


def _entropy(checkpoint: Checkpoint, count: int) -> Iterable[float]:
    """Yield the entropy of a sentence's rows without the scale, as a share of that with it."""
    edits = edits_of(unscaled(checkpoint), checkpoint.model)
    both = zip(
        held_out_readings(checkpoint, count),
        held_out_readings(checkpoint, count, edits=edits),
        strict=True,
    )
    for before, after in both:
        was, now = (
            sum(mean_entropy(weights_of_kind(checkpoint, reading.trace, k)) for k in KINDS)
            for reading in (before, after)
        )
        yield now / was


def _encoder(
    of: Callable[[Weights], float], changed: int, checkpoint: Checkpoint, count: int
) -> Iterable[float]:
    """Yield a measure of the encoder's weights, with its scale (`changed` 0) or without it (1)."""
    edits = edits_of(unscaled(checkpoint)[:changed], checkpoint.model)
    for reading in held_out_readings(checkpoint, count, edits=edits):
        yield of(weights_of_kind(checkpoint, reading.trace, "encoder self-attention"))


def _loss(checkpoint: Checkpoint, count: int) -> Iterable[float]:
    """Yield the rise of the right text's loss without a causal mask, in nats per token."""
    edits = edits_of((WITHOUT_MASK,), checkpoint.model)
    for reading in held_out_readings(checkpoint, count):
        source, target = reading.example.source, reading.example.target[1:]
        before = loss_of(checkpoint, source, target)
        yield loss_of(checkpoint, source, target, edits) - before


def _future(checkpoint: Checkpoint, count: int) -> Iterable[bool]:
    """Yield whether some head of a first-layer row puts over half of its weight on later tokens."""
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
    """Return the word after "parce qu'" that the model writes with these changes."""
    edits = edits_of(changed, checkpoint.model) if changed else NO_EDITS
    tokenizers = checkpoint.info.tokenizers
    ids = write_greedily(checkpoint, tokenizers.encode_source(sentence.source).ids, edits)
    tokens = tokenizers.target.tokens(ids)
    return next((after for word, after in pairwise(tokens) if word == "qu'"), None)


def _spread(sentences: tuple[ItSentence, ...], count: int) -> tuple[ItSentence, ...]:
    """Take at most `count` sentences, spread over the whole list."""
    return sentences[:: max(1, -(-len(sentences) // count))]


MEASURES: Mapping[str, Callable[[Checkpoint, int], Iterable[float]]] = {
    "content words read": _content,
    "jumps read": partial(_content, only_jumps=True),
    "row reads its own word": _own,
    "negations read": partial(_reads, "best at negations", "not", ("ne", "n'", "pas")),
    "it reads its referent": _it,
    "il or elle follows the referent": _pronouns,
    "swapped weights swap the pronoun": _swapped,
    "one head of it cut keeps the pronoun": partial(_cut, "best at referents of it"),
    "another head cut keeps the pronoun": partial(_cut, "best at the token before"),
    "determiners and adjectives read their noun": _nouns,
    "same text without positions": _same_swapped,
    "right text without positions": lambda checkpoint, count: _right(
        checkpoint, count, WITHOUT_POSITIONS
    ),
    "right text without the first attention": lambda checkpoint, count: _right(
        checkpoint, count, WITHOUT_FIRST_ATTENTION
    ),
    "right text without the first feed-forward": lambda checkpoint, count: _right(
        checkpoint, count, WITHOUT_FIRST_FEED_FORWARD
    ),
    "entropy without the scale": _entropy,
    "sharp rows": partial(_encoder, sharp_share, 0),
    "sharp rows without the encoder's scale": partial(_encoder, sharp_share, 1),
    "gradient": partial(_encoder, mean_gradient, 0),
    "gradient without the encoder's scale": partial(_encoder, mean_gradient, 1),
    "adjectives agree without the values of their head": _agreeing,
    "loss without the causal mask": _loss,
    "weight on the future without the causal mask": _future,
    "right samples at temperature 1": partial(_right, temperature=1.0),
    "right samples at temperature one half": partial(_right, temperature=0.5),
    "top choice at the embedding": partial(_by_depth, 0),
    "top choice after the first layer": partial(_by_depth, 1),
    "top choice at the end": partial(_by_depth, -1),
    "right texts": _right,
}
