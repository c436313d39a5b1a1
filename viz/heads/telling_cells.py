"""The cells of a run that say most: a word that reads another, sharply."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from model.text.piece import SPECIAL_TOKENS
from sample_data.classes import CONTENT_CLASSES
from viz.run.axes import AttentionKind, Traced, all_heads, attention_trace, axis_tokens

_ENCODER: AttentionKind = "encoder self-attention"
_OTHER, _CONTENT, _PRONOUN, _IT = 1, 2, 3, 4
"""How much a reading says; within one of these the sharper says more."""
_SHARP, _LEAST = 0.5, 0.3
"""Weight from which it counts what is read; below the second nothing is said."""


class Stack(NamedTuple):
    """All heads of one kind of attention, and what their rows and columns are called."""

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
    """Choose the cell to begin with: one rule for the pages and for the picture of a run.

    That is the encoder's reading that says most, by the parts of speech of its words. Where these
    are not known, or no head reads so, the telling row of the head that aligns best; of a model of
    which none is known, the sharpest reading of its first kind of attention.

    Args:
        kinds: The kinds of attention, in their order.
        stack_of: Gives the heads of a kind.
        classes: Parts of speech of the source's words; empty where they are not known.
        best: Layer and head of the cross-attention that aligns best, where that is known.
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
    """Find the telling row of a head, and the key that it reads most."""
    weights, mask = _weights_and_mask(run, kind, layer, head)
    rows, columns = axis_tokens(run, kind)
    return telling_row(weights, mask, rows, columns)


def telling_row(
    weights: Float[np.ndarray, "query key"],
    mask: Bool[np.ndarray, "query key"],
    rows: Sequence[str],
    columns: Sequence[str],
) -> tuple[int, int]:
    """Find the sharpest row of a head that says something, and the key that it reads most.

    That is the row with the largest weight of those that could read more than one token. Rows of
    words that mostly read a word come first, then other rows of words: special tokens and
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
    """Find layer, head, query and key of the largest weight with which a word reads another.

    Not a neighbour, which a head may read for its place alone, nor the first key, where many heads
    rest. Where a word is hidden, it is that word's row. Without such a weight, the largest of all.

    Args:
        weights: Of all heads of a kind.
        rows: What the rows are called.
        columns: What the columns are called.
        first: Number of the first row.
        near: Distance from which a key is no neighbour.
        last: The last row that is looked at.
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
    """Find layer, head, query and key of the encoder where a word reads another that says most.

    None where parts of speech are not known, or no head reads so.

    Args:
        run: The run to look in.
        heads: Layer and head, where only one is looked at.
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
    """Find layer, head, query and key where a word reads another that says most; None without one.

    "it" that reads a noun before it, then another such pronoun, then words of content that read one
    another; among them the sharpest. Not itself, nor a neighbour, which a head may read for its
    place alone.
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
    """Compute how much it would tell if one word read another: 0 is nothing."""
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
    """Find the key that a row reads most."""
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
    """Return whether a token is a word, by its brackets no special one of any model."""
    is_special = token[:1] in ("<", "[") and token[-1:] in (">", "]")
    return is_word(token) and not is_special
