"""Random words that begin again after a while: who finds the last copy can tell the next word."""

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
"""Words before a row begins again. It must differ from row to row: one period for all could be
solved by counting back. Most are long, since short rows can be copied by writing what was not said
for a while; some are short, since a head reads only distances that it has learned."""
COPIED = "copied"


def random_texts(rng: random.Random) -> Iterator[Text]:
    """Yield rows of LENGTH words without end, each with a period of its own.

    No word comes twice in a period, so that each copied word is decided: it is the one that
    followed the last time. The first word has none before it.
    """
    while True:
        once = rng.sample(WORDS, rng.choice(PERIODS))
        period = len(once)
        words = [once[i % period] for i in range(LENGTH)]
        copied = range(period + 1, LENGTH)
        known = (Known(i, tuple(range(i % period or period, i, period)), COPIED) for i in copied)
        yield Text(" ".join(words), tuple(known))


def read(text: str) -> Text | None:
    """Find what can be known in any row of these words; None where there is another word.

    A word is known where the word before it was there already, and was followed by this one the
    last time; what decides it is each place where the two stood.
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
