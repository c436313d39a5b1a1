"""Random words that repeat after a period: finding the last copy predicts the next word."""

import random
from collections import defaultdict
from collections.abc import Iterator

from sample_data.one_text.text import Known, Text

WORDS = (
    "apple", "arrow", "bell", "bird", "boat", "book", "bread", "bridge", "candle", "castle",
    "chair", "cloud", "coat", "corn", "door", "drum", "feather", "fish", "flag", "flower",
    "garden", "glass", "hat", "horse", "island", "key", "lamp", "leaf", "lemon", "letter",
    "mirror", "moon", "nest", "onion", "pencil", "ring", "river", "road", "rope", "salt", "ship",
    "shoe", "spoon", "star", "stone", "table", "tree", "window",
)  # fmt: skip
LENGTH = 64
PERIODS = range(4, 33)
"""The lengths of periods. They must differ from row to row, because counting back would solve a
single one. Most are long, because in short rows it suffices to write words that have not occurred
for a while. Some are short, because a head reads only distances that it has learned."""
COPIED = "copied"


def random_texts(rng: random.Random) -> Iterator[Text]:
    """Yield rows of LENGTH words without end, each with its own period.

    No word occurs twice in a period, so each copied word is determined: it is the one that followed
    the last time. The first word of a copy has no such word before it.
    """
    while True:
        once = rng.sample(WORDS, rng.choice(PERIODS))
        period = len(once)
        words = [once[i % period] for i in range(LENGTH)]
        copied = range(period + 1, LENGTH)
        known = (Known(i, tuple(range(i % period or period, i, period)), COPIED) for i in copied)
        yield Text(" ".join(words), tuple(known))


def read(text: str) -> Text | None:
    """Find the predictable words in any row of these words; None if there is another word.

    A word is predictable if the word before it occurred earlier and was followed by this one the
    last time; the places where the two occurred decide it.
    """
    words = text.split()
    if not words or not set(words) <= set(WORDS):
        return None
    after: defaultdict[str, list[int]] = defaultdict(list)
    known: list[Known] = []
    for place in range(1, len(words)):
        word, before = words[place], words[place - 1]
        if after[before] and words[after[before][-1]] == word:
            looks = tuple(i for i in after[before] if words[i] == word)
            known.append(Known(place, looks, COPIED))
        after[before].append(place)
    return Text(" ".join(words), tuple(known))
