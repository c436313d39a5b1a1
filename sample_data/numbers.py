"""English number words to French ones, from 0 to 999,999.

Written without hyphens on both sides, one word for each token: "forty two", "quarante deux".
French follows the traditional spelling: "deux cents" but "deux cent un", "quatre vingts" but
"quatre vingt un", "vingt et un", "mille" without "un" and never with an s.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from sample_data.pairs import Pair

LAST = 999_999

_ENGLISH_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_ENGLISH_TENS = [
    "-",
    "ten",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
]
_FRENCH_UNITS = [
    "zéro",
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
]
_FRENCH_TENS = [
    "-",
    "dix",
    "vingt",
    "trente",
    "quarante",
    "cinquante",
    "soixante",
    "soixante",
    "quatre vingt",
    "quatre vingt",
]


@dataclass(frozen=True, eq=False)
class _English:
    text: str


@dataclass(frozen=True, eq=False)
class _Words:
    """English words, and French words that each know the English words they translate."""

    english: tuple[_English, ...] = ()
    french: tuple[tuple[str, tuple[_English, ...]], ...] = ()

    def __add__(self, other: "_Words") -> "_Words":
        return _Words(self.english + other.english, self.french + other.french)


def random_pairs(rng: random.Random) -> Iterator[Pair]:
    """Yield random numbers without end; each count of digits comes equally often."""
    while True:
        digits = rng.randint(1, 6)
        yield to_pair(rng.randrange(10 ** (digits - 1) if digits > 1 else 0, 10**digits))


def to_pair(number: int) -> Pair:
    """Return the number in English and in French words."""
    if not 0 <= number <= LAST:
        raise ValueError(f"number must be from 0 to {LAST}, got {number}")
    words = _spell(number)
    position = {word: index for index, word in enumerate(words.english)}
    return Pair(
        " ".join(word.text for word in words.english),
        " ".join(text for text, _ in words.french),
        frozenset(
            (position[source], index)
            for index, (_, sources) in enumerate(words.french)
            for source in sources
        ),
    )


def _spell(number: int) -> _Words:
    thousands, rest = divmod(number, 1000)
    if not thousands:
        return _below_1000(rest)
    words = _thousands(thousands)
    if rest:
        words += _linked_by_and(_below_1000(rest), "and" if rest < 100 else "")
    return words


def _thousands(count: int) -> _Words:
    """Return "two thousand", "deux mille", where cent and vingt lose their s, and 1 its un."""
    thousand = _English("thousand")
    mille = ("mille", (thousand,))
    if count == 1:
        one = _English("one")
        return _Words((one, thousand), (("mille", (one, thousand)),))
    return _below_1000(count, before_mille=True) + _Words((thousand,), (mille,))


def _below_1000(number: int, *, before_mille: bool = False) -> _Words:
    hundreds, rest = divmod(number, 100)
    words = _hundreds(hundreds, final=not rest and not before_mille) if hundreds else _Words()
    if hundreds and not rest:
        return words
    below = _below_100(rest, before_mille=before_mille)
    return words + _linked_by_and(below, "and" if hundreds else "")


def _hundreds(count: int, *, final: bool) -> _Words:
    digit, hundred = _English(_ENGLISH_UNITS[count]), _English("hundred")
    if count == 1:
        return _Words((digit, hundred), (("cent", (digit, hundred)),))
    cent = "cents" if final else "cent"
    return _Words((digit, hundred), ((_FRENCH_UNITS[count], (digit,)), (cent, (hundred,))))


def _linked_by_and(words: _Words, link: str) -> _Words:
    """Put in the English "and", which French does not say."""
    return _Words((_English(link),) if link else ()) + words


def _below_100(number: int, *, before_mille: bool) -> _Words:
    if number < 20:
        unit = _English(_ENGLISH_UNITS[number])
        return _Words((unit,), tuple((text, (unit,)) for text in _french_below_20(number)))
    tens, units = divmod(number, 10)
    ten = _English(_ENGLISH_TENS[tens])
    one = _English(_ENGLISH_UNITS[units]) if units else None
    french = [(text, (ten,)) for text in _FRENCH_TENS[tens].split()]
    if number == 80 and not before_mille:
        french[-1] = ("vingts", (ten,))
    if units == 1 and tens < 8:
        french.append(("et", (ten,)))
    # 70 to 79 and 90 to 99 count on from 60 and 80: "seventy two" is "soixante douze".
    added = units + 10 if tens in (7, 9) else units
    sources = ((ten,) if tens in (7, 9) else ()) + ((one,) if one else ())
    if added:
        french += _added(added, ten, one, sources)
    return _Words((ten, one) if one else (ten,), tuple(french))


def _added(
    number: int, ten: _English, one: _English | None, sources: tuple[_English, ...]
) -> list[tuple[str, tuple[_English, ...]]]:
    if number <= 16:
        return [(_FRENCH_UNITS[number], sources)]
    assert one is not None  # 17, 18, 19 are spelled "dix sept", a word for each English one
    return [("dix", (ten,)), (_FRENCH_UNITS[number - 10], (one,))]


def _french_below_20(number: int) -> tuple[str, ...]:
    if number <= 16:
        return (_FRENCH_UNITS[number],)
    return ("dix", _FRENCH_UNITS[number - 10])
