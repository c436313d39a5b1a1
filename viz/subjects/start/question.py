"""What is asked of a sentence, and the encoder head that answers it: found in the run."""

from collections.abc import Callable, Set
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from viz.heads.coreference import Meaning, askable, find_meaning
from viz.heads.telling_cells import is_word, telling_cell
from viz.run.axes import all_heads
from viz.run.record import Run

KIND = "encoder self-attention"


@dataclass(frozen=True)
class Question:
    """One row of one encoder head, and what may be guessed of it."""

    layer: int
    head: int
    query: int
    """Position of the word that is asked about."""
    meaning: Meaning | None
    """What "it" means, where that is the question."""


def words_of(run: Run) -> tuple[str, ...]:
    """Return the words of a source as its task counts them."""
    return tuple(run.info.tokenizers.as_written(run.source, run.source_text).split())


def meaning_of(run: Run) -> Meaning | None:
    """Resolve "it" in the source of a run, where its tokens are the task's words."""
    words = words_of(run)
    if run.source.tokens[:-1] != words:
        return None
    return find_meaning(run.info.task, words)


Matters = Callable[[int, int], float]
"""Gives how much less likely what was written is without a head, by its layer and number."""
_MOST_CUT = 4
"""Words whose heads are cut to find the one that matters."""


def ask(
    run: Run, other: Run | None = None, word: int | None = None, matters: Matters | None = None
) -> Question:
    """Ask what "it" means where the data know, else where a word looks.

    Args:
        run: Of the sentence.
        other: Of the same sentence with the other meaning: the head answers for both.
        word: Position of the word that is asked about; None for "it", else for a pronoun, else for
            the content word whose reading matters most.
        matters: How much a head matters; without it the sharpest row is asked about.
    """
    meaning = meaning_of(run)
    if meaning is None or word not in (None, meaning.it):
        found = _telling(run, matters) if word is None else _sharpest(run, {word})[:1]
        layer, head, query = found[0] if found else _first(run, word)
        return Question(layer, head, query, meaning=None)
    margins = _margins(run, meaning)
    if other is not None and (opposite := meaning_of(other)):
        margins = np.minimum(margins, _margins(other, opposite))
    layer, head = np.unravel_index(int(margins.argmax()), margins.shape)
    return Question(int(layer), int(head), meaning.it, meaning)


def _margins(run: Run, meaning: Meaning) -> Float[np.ndarray, "layer head"]:
    """Measure how much more of its weight each head's row of "it" gives to the right noun."""
    rows = np.nan_to_num(all_heads(run, KIND)[:, :, meaning.it])
    wrong = next(noun for noun in meaning.candidates if noun != meaning.right)
    return rows[..., meaning.right] - rows[..., wrong]


def _telling(run: Run, matters: Matters | None) -> list[tuple[int, int, int]]:
    """Find the rows worth asking about: of a pronoun, else of a content word that reads another."""
    pronouns, nouns, content = askable(run.info.task, run.source.tokens)
    if found := _sharpest(run, pronouns, nouns):
        return found
    found = _sharpest(run, content, content)[:_MOST_CUT]
    if matters:
        found.sort(key=lambda row: -matters(row[0], row[1]))
    words = {at for at, token in enumerate(run.source.tokens) if is_word(token)}
    return found or _sharpest(run, words)


def _sharpest(run: Run, rows: Set[int], read: Set[int] | None = None) -> list[tuple[int, int, int]]:
    """Find the layer, head and row of each word that reads another one most, the sharpest first.

    Words that are next to it are left where the sentence has no two words farther apart.

    Args:
        run: Of the sentence.
        rows: The words that are looked at.
        read: Those that may be read; without it every word.
    """
    weights = np.nan_to_num(all_heads(run, KIND))
    places = np.arange(weights.shape[-1])
    words = np.array([is_word(token) for token in run.source.tokens])
    asked = np.isin(places, [*rows])
    may = words if read is None else np.isin(places, [*read])
    apart = np.abs(np.subtract.outer(places, places))
    for least in (2, 1):
        counts = asked[:, None] & may[None, :] & (apart >= least)
        counted = np.where(counts, weights, 0)
        reading = counted.max(axis=-1)
        reading[weights.argmax(axis=-1) != counted.argmax(axis=-1)] = 0
        best = reading.reshape(-1, len(places))
        found = [row for row in np.argsort(-best.max(axis=0)) if best[:, row].max() > 0]
        if found:
            tops = [(int(best[:, row].argmax()), int(row)) for row in found]
            return [(top // reading.shape[1], top % reading.shape[1], row) for top, row in tops]
    return []


def _first(run: Run, row: int | None) -> tuple[int, int, int]:
    """Return a cell of the first head, where no row tells anything."""
    return 0, 0, telling_cell(run, KIND, 0, 0)[0] if row is None else row
