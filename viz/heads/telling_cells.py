"""The most informative cells of a run: a word that reads another one, sharply."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from model.text.piece import SPECIAL_TOKENS
from sample_data.classes import CONTENT_CLASSES
from viz.run.axes import AttentionKind, Traced, all_heads, attention_trace, axis_tokens

_ENCODER: AttentionKind = "encoder self-attention"
_OTHER, _CONTENT, _PRONOUN, _IT = 1, 2, 3, 4
"""Values of a reading; among readings of equal value, the sharper one is more informative."""
_SHARP, _LEAST = 0.5, 0.3
"""Least weight at which the value of a reading counts, and least weight of any reading."""


class Stack(NamedTuple):
    """All heads of one kind of attention, with the names of their rows and columns."""

    weights: Float[np.ndarray, "layer head query key"]
    mask: Bool[np.ndarray, "layer query key"]
    rows: Sequence[str]
    columns: Sequence[str]


class FirstCell(NamedTuple):
    """The cell that a picture begins with."""

    kind: AttentionKind
    layer: int
    head: int
    query: int
    key: int


def first_cell(
    kinds: Sequence[AttentionKind],
    stack_of: Callable[[AttentionKind], Stack],
    classes: Mapping[str, str],
    best: tuple[int, int] | None,
) -> FirstCell:
    """Choose the first cell, by one rule for the pages and for the picture of a run.

    It is the encoder's most informative reading, by the parts of speech of its words. If these are
    unknown, or no head has such a reading, it is the informative row of the best aligned head; if
    no such head is known, the sharpest reading of the first kind of attention.

    Args:
        kinds: The kinds of attention, in their order.
        stack_of: Returns the heads of a kind.
        classes: Parts of speech of the source's words; empty if unknown.
        best: Layer and head of the best aligned cross-attention, if known.
    """
    if classes and _ENCODER in kinds:
        weights, _, rows, columns = stack_of(_ENCODER)
        if tuple(rows) == tuple(columns) and (found := reading_by_class(rows, classes, weights)):
            return FirstCell(_ENCODER, *found)
    if best and "cross-attention" in kinds:
        weights, mask, rows, columns = stack_of("cross-attention")
        layer, head = best
        if layer < weights.shape[0] and head < weights.shape[1]:
            row = telling_row(weights[layer, head], mask[layer], rows, columns)
            return FirstCell("cross-attention", layer, head, *row)
    weights, _, rows, columns = stack_of(kinds[0])
    return FirstCell(kinds[0], *sharpest_reading(weights, rows, columns))


def telling_cell(run: Traced, kind: AttentionKind, layer: int, head: int) -> tuple[int, int]:
    """Return the informative row of a head, and the key that it reads most."""
    weights, mask = _weights_and_mask(run, kind, layer, head)
    rows, columns = axis_tokens(run, kind)
    return telling_row(weights, mask, rows, columns)


def telling_row(
    weights: Float[np.ndarray, "query key"],
    mask: Bool[np.ndarray, "query key"],
    rows: Sequence[str],
    columns: Sequence[str],
) -> tuple[int, int]:
    """Return the sharpest informative row of a head, and the key that it reads most.

    It is the row with the largest weight among those that may read more than one token. Rows of
    words that mostly read a word come first, then other rows of words, since special tokens and
    punctuation say little.
    """
    weights = np.nan_to_num(weights)
    strongest = weights.argmax(axis=-1)
    of_word = np.array([is_word(token) for token in rows])
    reads_word = np.array([is_word(columns[key]) for key in map(int, strongest)])
    chooses = mask.sum(axis=-1) > 1
    rank = 4 * chooses + 2 * of_word + (of_word & reads_word)
    query = int(np.lexsort((-weights.max(axis=-1), -rank))[0])
    return query, int(strongest[query])


def sharpest_reading(
    weights: Float[np.ndarray, "layer head query key"],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    first: int = 0,
    near: int = 2,
    last: int | None = None,
) -> tuple[int, int, int, int]:
    """Return layer, head, query and key of the largest weight with which a word reads another.

    Neighbours do not count, because a head may read them for their place alone. The first key does
    not count either, because many heads rest on it. If a word is hidden, only its row counts.
    Without such a weight, the largest of all is returned.

    Args:
        weights: The weights of all heads of a kind.
        rows: The names of the rows.
        columns: The names of the columns.
        first: Number of the first row.
        near: Distance from which a key is not a neighbour.
        last: The last row to consider.
    """
    count = len(rows) if last is None else last + 1
    weights, rows = np.nan_to_num(weights[:, :, :count]), rows[:count]
    hidden = np.array([row.strip("<[]>").lower() == "mask" for row in rows])
    asked = hidden if hidden.any() else np.array([_is_plain(row) for row in rows])
    places = first + np.arange(len(rows))
    away = np.abs(np.subtract.outer(places, np.arange(len(columns)))) >= near
    told = away & asked[:, None] & np.array([_is_plain(column) for column in columns])
    told[:, 0] = False
    looked = np.where(told, weights, 0) if told.any() else weights
    layer, head, query, key = np.unravel_index(int(looked.argmax()), looked.shape)
    return int(layer), int(head), int(query), int(key)


def telling_reading(
    run: Traced, heads: tuple[int, int] | None = None
) -> tuple[int, int, int, int] | None:
    """Return layer, head, query and key of the most informative reading in the encoder.

    None if the parts of speech are unknown, or if no head has such a reading.

    Args:
        run: The run.
        heads: Layer and head, if only one is considered.
    """
    classes = run.word_classes
    if not classes or _ENCODER not in run.anatomy.names:
        return None
    weights = all_heads(run, _ENCODER)
    if heads is None:
        return reading_by_class(run.texts["source"], classes, weights)
    layer, head = heads
    one = weights[layer : layer + 1, head : head + 1]
    found = reading_by_class(run.texts["source"], classes, one)
    return found and (layer, head, *found[2:])


def reading_by_class(
    tokens: Sequence[str],
    classes: Mapping[str, str],
    weights: Float[np.ndarray, "layer head query key"],
) -> tuple[int, int, int, int] | None:
    """Return layer, head, query and key of the most informative reading; None without one.

    Best is "it" reading an earlier noun, then another pronoun doing so, then content words reading
    one another; among equals, the sharpest. A word itself and its neighbours do not count, because
    a head may read those for their place alone.
    """
    words = [token.lower() for token in tokens]
    value = _values_of_cells(words, [classes.get(word, "") for word in words])
    weights = np.nan_to_num(weights)
    strongest = weights.argmax(axis=-1)
    sharpness = weights.max(axis=-1)
    values = np.take_along_axis(value[None, None], strongest[..., None], axis=-1)[..., 0]
    said = np.where(values > 0, sharpness + np.where(sharpness >= _SHARP, values, 0), 0)
    layer, head, query = np.unravel_index(int(said.argmax()), said.shape)
    if said[layer, head, query] < _LEAST:
        return None
    return int(layer), int(head), int(query), int(strongest[layer, head, query])


def _values_of_cells(tokens: list[str], classes: list[str]) -> Float[np.ndarray, "query key"]:
    """Return how informative it is if one word reads another; 0 is not informative."""
    size = len(tokens)
    value = np.zeros((size, size))
    for query, key in np.ndindex(size, size):
        if abs(query - key) < 2 or tokens[query] == tokens[key] or not is_word(tokens[query]):
            continue
        if classes[query] == "pronoun" and classes[key] == "noun" and key < query:
            value[query, key] = _IT if tokens[query] == "it" else _PRONOUN
        elif classes[key] in CONTENT_CLASSES:
            value[query, key] = _CONTENT if classes[query] in CONTENT_CLASSES else _OTHER
    return value


def strongest_key(run: Traced, kind: AttentionKind, layer: int, head: int, query: int) -> int:
    """Return the key that a row reads most."""
    return int(_weights_and_mask(run, kind, layer, head)[0][query].argmax())


def _weights_and_mask(
    run: Traced, kind: AttentionKind, layer: int, head: int
) -> tuple[Float[np.ndarray, "query key"], Bool[np.ndarray, "query key"]]:
    attention = attention_trace(run, kind, layer)
    weights = attention.weights[0, head].numpy()
    return np.nan_to_num(weights), attention.mask[0].expand(weights.shape).numpy()


def is_word(token: str) -> bool:
    """Return whether a token is neither a special one nor punctuation."""
    return token not in SPECIAL_TOKENS and any(character.isalnum() for character in token)


def _is_plain(token: str) -> bool:
    """Return whether a token is a word, and not in the brackets of a special token."""
    is_special = token[:1] in ("<", "[") and token[-1:] in (">", "]")
    return is_word(token) and not is_special
