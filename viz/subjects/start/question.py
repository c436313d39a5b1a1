"""What is asked of a sentence, and the encoder head that answers it: found in the run."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from viz.run.coreference import Meaning, find_meaning
from viz.run.record import Run, all_heads
from viz.run.telling_cells import is_word, telling_cell

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


def ask(run: Run, other: Run | None = None, word: int | None = None) -> Question:
    """Ask what "it" means where the data know, else where a word looks.

    Args:
        run: Of the sentence.
        other: Of the same sentence with the other meaning: the head answers for both.
        word: Position of the word that is asked about; None for "it", or else for the one whose
            row is the sharpest.
    """
    meaning = meaning_of(run)
    if meaning is None or word not in (None, meaning.it):
        return Question(*_sharpest(run, _it(run) if word is None else word), meaning=None)
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


def _it(run: Run) -> int | None:
    """Find the only "it" that stands for something said before it."""
    found = [at for at, token in enumerate(run.source.tokens) if token == "it"]
    return found[0] if len(found) == 1 and found[0] > 0 else None


def _sharpest(run: Run, row: int | None) -> tuple[int, int, int]:
    """Find the layer, head and row with the largest weight on a word that is neither near nor own.

    Only the neighbours of a word are left where the sentence has no two words farther apart. With
    `row`, only heads are compared.
    """
    weights = np.nan_to_num(all_heads(run, KIND))
    words = np.array([is_word(token) for token in run.source.tokens])
    places = np.arange(len(words))
    apart = np.abs(np.subtract.outer(places, places))
    asked = words if row is None else places == row
    for least in (2, 1):
        counts = asked[:, None] & words[None, :] & (apart >= least)
        reading = np.where(counts, weights, 0).max(axis=-1)
        reading[weights.argmax(axis=-1) != np.where(counts, weights, 0).argmax(axis=-1)] = 0
        if reading.max() > 0:
            layer, head, query = np.unravel_index(int(reading.argmax()), reading.shape)
            return int(layer), int(head), int(query)
    return 0, 0, telling_cell(run, KIND, 0, 0)[0] if row is None else row
