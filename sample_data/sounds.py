"""Which letters sound which phonemes: a monotone aligner, learnt from the words themselves.

A word is cut into chunks of letters, each with what it sounds: one letter and one phoneme, one
and two ("x"), one and none ("e" in "make"), or two or three letters and one phoneme ("sh",
"igh"). A first guess pairs what stands at like places; then the best cut of each word gives the
probability of each chunk, which gives better cuts, and so on (EM with best paths).
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache

Spoken = tuple[str, tuple[str, ...]]
"""A word and its phonemes."""
Chunk = tuple[str, tuple[str, ...]]
"""Some letters and the phonemes that they sound together."""
Scores = dict[Chunk, float]

# Letters and phonemes in a chunk, and the log-probability of one that was never seen.
_SHAPES = {(1, 1): -9.0, (1, 0): -11.0, (2, 1): -11.5, (1, 2): -13.0, (3, 1): -13.5}
_VOWELS = frozenset("aeiouy")
_AFTER_VOWEL = _VOWELS | frozenset("rwgh")
_GLIDES = frozenset({"W", "Y"})  # "u" in "quick", "i" in "onion"
_SOFT = frozenset({"SH", "ZH", "CH", "JH", "S"})  # "ti", "si", "tu", "ge", "ce"
_TWO_SOUNDS = frozenset("xulmnoz")  # "box", "use", "bottle", "prism", "one", "pizza"
_ODD = 12.0  # what a chunk costs whose letters are not of a kind to sound that
_ROUNDS = 6
_LEARN_FROM_EVERY = 16  # more words give the same cuts


def learn(words: Sequence[Spoken]) -> Scores:
    """Return the log-probability of each chunk, learnt from a sample of the words."""
    words = words[::_LEARN_FROM_EVERY]
    scores = _first_scores(words)
    for _ in range(_ROUNDS):
        counts = Counter(chunk for word in words for chunk in _best_cut(word, scores))
        total = counts.total()
        # Rounded, so that no other machine's last digit can turn a choice.
        scores = {chunk: round(math.log(count / total), 6) for chunk, count in counts.items()}
    return scores


def align(word: Spoken, scores: Scores) -> tuple[str, ...]:
    """Return what each letter sounds, as "F + OW T OW" for the letters of "photo".

    Two phonemes of one letter are joined by "|", "+" continues the letter before, "_" is silent.
    A word that cannot be cut gives an empty tuple.
    """
    return _by_letter(_join_silent(_best_cut(word, scores)))


def _first_scores(words: Sequence[Spoken]) -> Scores:
    """Score a letter and a phoneme by how often they stand at like places."""
    together: Counter[tuple[str, str]] = Counter()
    for letters, phonemes in words:
        for index, letter in enumerate(letters):
            together[letter, phonemes[index * len(phonemes) // len(letters)]] += 1
    of_letter: Counter[str] = Counter()
    for (letter, _), count in together.items():
        of_letter[letter] += count
    return {
        (letter, (phoneme,)): round(math.log(count / of_letter[letter]), 6)
        for (letter, phoneme), count in together.items()
    }


def _best_cut(word: Spoken, scores: Scores) -> list[Chunk]:
    """Return the chunks of the most probable cut, or none where the word cannot be cut."""
    letters, phonemes = word
    best: dict[tuple[int, int], float] = {(0, 0): 0.0}
    last: dict[tuple[int, int], Chunk] = {}
    for end in range(1, len(letters) + 1):
        for spoken in range(min(len(phonemes), 2 * end) + 1):
            for (n_letters, n_phonemes), unseen in _SHAPES.items():
                before = best.get((end - n_letters, spoken - n_phonemes))
                if before is None:
                    continue
                chunk = letters[end - n_letters : end], phonemes[spoken - n_phonemes : spoken]
                score = before + scores.get(chunk, unseen)
                if not _can_sound(*chunk):
                    score -= _ODD
                if score > best.get((end, spoken), -math.inf):
                    best[end, spoken] = score
                    last[end, spoken] = chunk
    return _trace_back(last, (len(letters), len(phonemes)))


@cache
def _can_sound(letters: str, phonemes: tuple[str, ...]) -> bool:
    """Say whether the letters are of a kind to sound that: "igh" a vowel, "tch" a consonant."""
    if len(phonemes) != 1:
        return len(phonemes) == 0 or letters in _TWO_SOUNDS
    (phoneme,) = phonemes
    if phoneme[0] in "AEIOU":
        if letters == "r":
            return phoneme == "ER"
        return letters[0] in _VOWELS and set(letters[1:]) <= _AFTER_VOWEL
    if letters[0] in _VOWELS:
        return len(letters) == 1 and phoneme in _GLIDES
    return phoneme in _SOFT or _VOWELS.isdisjoint(letters)


def _trace_back(last: dict[tuple[int, int], Chunk], place: tuple[int, int]) -> list[Chunk]:
    chunks: list[Chunk] = []
    while place in last:
        chunk = last[place]
        chunks.append(chunk)
        place = place[0] - len(chunk[0]), place[1] - len(chunk[1])
    return chunks[::-1]


def _join_silent(chunks: list[Chunk]) -> list[Chunk]:
    """Let both letters of "ll" sound what one of them does, and both of "er" the one vowel."""
    joined: list[Chunk] = []
    for letters, phonemes in chunks:
        before, sounded = joined[-1] if joined else ("", ())
        doubled = before == letters and bool(sounded) != bool(phonemes)
        vowel_r = not sounded and before in {"a", "e", "i", "o", "u"} and phonemes == ("ER",)
        if doubled or vowel_r:
            joined[-1] = (before + letters, sounded or phonemes)
        else:
            joined.append((letters, phonemes))
    return joined


def _by_letter(chunks: list[Chunk]) -> tuple[str, ...]:
    return tuple(
        sound
        for letters, phonemes in chunks
        for sound in ("|".join(phonemes) or "_", *"+" * (len(letters) - 1))
    )
