"""The cells of a run that say most: a word that reads another, sharply."""

import numpy as np
from jaxtyping import Bool, Float

from model.text.tokenizer import SPECIAL_TOKENS
from sample_data.tasks import CONTENT_CLASSES, source_classes
from viz.run.record import AttentionKind, Run, all_heads, attention_trace, axis_tokens

_OTHER, _CONTENT, _PRONOUN, _IT = 1, 2, 3, 4
"""How much a reading says; within one of these the sharper says more."""
_SHARP, _LEAST = 0.5, 0.3
"""Weight from which it counts what is read; below the second nothing is said."""


def telling_cell(run: Run, kind: AttentionKind, layer: int, head: int) -> tuple[int, int]:
    """Find the sharpest row of a head that says something, and the key that it reads most.

    That is the row with the largest weight of those that could read more than one token. Rows of
    words that mostly read a word come first, then other rows of words: special tokens and
    punctuation say little.
    """
    weights, mask = _weights_and_mask(run, kind, layer, head)
    rows, columns = axis_tokens(run, kind)
    strongest = weights.argmax(axis=-1)
    of_word = np.array([is_word(token) for token in rows])
    reads_word = np.array([is_word(columns[key]) for key in strongest])
    chooses = mask.sum(axis=-1) > 1
    rank = 4 * chooses + 2 * of_word + (of_word & reads_word)
    query = int(np.lexsort((-weights.max(axis=-1), -rank))[0])
    return query, int(strongest[query])


def telling_reading(
    run: Run, heads: tuple[int, int] | None = None
) -> tuple[int, int, int, int] | None:
    """Find layer, head, query and key of the encoder where a word reads another that says most.

    "it" that reads a noun before it, then another such pronoun, then words of content that read one
    another; among them the sharpest. Not itself, nor a neighbour, which a head may read for its
    place alone. None where parts of speech are not known, or no head reads so.

    Args:
        run: The run to look in.
        heads: Layer and head, where only one is looked at.
    """
    classes = source_classes(run.info.task)
    if not classes or "encoder self-attention" not in run.anatomy.names:
        return None
    tokens = [token.lower() for token in run.source.tokens]
    value = _values_of_cells(tokens, [classes.get(token, "") for token in tokens])
    weights = np.nan_to_num(all_heads(run, "encoder self-attention"))
    if heads is not None:
        one = np.zeros_like(weights)
        one[heads] = weights[heads]
        weights = one
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


def strongest_key(run: Run, kind: AttentionKind, layer: int, head: int, query: int) -> int:
    """Find the key that a row reads most."""
    return int(_weights_and_mask(run, kind, layer, head)[0][query].argmax())


def _weights_and_mask(
    run: Run, kind: AttentionKind, layer: int, head: int
) -> tuple[Float[np.ndarray, "query key"], Bool[np.ndarray, "query key"]]:
    attention = attention_trace(run, kind, layer)
    weights = attention.weights[0, head].numpy()
    return np.nan_to_num(weights), attention.mask[0].expand(weights.shape).numpy()


def is_word(token: str) -> bool:
    """Return whether a token is neither a special one nor punctuation."""
    return token not in SPECIAL_TOKENS and any(character.isalnum() for character in token)
