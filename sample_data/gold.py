"""The one right target of a source that someone typed, and its gold alignment."""

import datetime
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

from sample_data import dates, digits, everyday, g2p, numbers
from sample_data.english_french.reading import read
from sample_data.pairs import Pair
from sample_data.tasks import TASKS

_WORD = re.compile(r"[.,?!]|[^\s.,?!]+")


def find_gold(task: str, source: str) -> Pair | None:
    """Work out the pair whose source this is; None where the sample data have no such pair.

    White space does not matter; where a task counts words, neither do capitals, nor whether a full
    stop stands apart. The pair has the source as the task writes it, which its alignment counts.
    """
    if task not in TASKS:
        return None
    if TASKS[task].source_units == "word":
        return _FINDERS[task](" ".join(_WORD.findall(source.lower())))
    return _FINDERS[task](" ".join(source.split()))


def _carry_out(source: str) -> Pair | None:
    command, *typed = source.split() or [""]
    if not typed or not all(re.fullmatch("[0-9]", digit) for digit in typed):
        return None
    try:
        return digits.carry_out(command, typed)
    except ValueError:
        return None


def _find_date(source: str) -> Pair | None:
    """Write the dates that have its numbers in every format, until one is the source."""
    pairs = (dates.to_pair(date, way) for date in _dates_of(source) for way in dates.FORMATS)
    return next((pair for pair in pairs if pair.source == source), None)


def _dates_of(source: str) -> Iterator[datetime.date]:
    """Take the last number for the year, each other one for the day, and try every month."""
    *days, year = re.findall("[0-9]+", source) or [""]
    if not re.fullmatch("[0-9]{4}", year) or len(days) > 2:  # at most a day and a month
        return
    for day, month in product(days, range(1, 13)):
        try:
            date = datetime.date(int(year), month, int(day[:3]))
        except ValueError:  # 30 February
            continue
        if dates.FIRST <= date <= dates.LAST:
            yield date


def _find_number(source: str) -> Pair | None:
    """Add the words up, and see whether that number is written so."""
    thousands, rest = 0, 0
    for word in source.split():
        if word == "thousand":
            thousands, rest = rest, 0
        elif word == "hundred":
            rest *= 100
        elif word in _small_numbers():
            rest += _small_numbers()[word]
        elif word != "and":
            return None
        if rest > numbers.LAST:
            return None
    number = 1000 * thousands + rest
    pair = numbers.to_pair(number) if number <= numbers.LAST else None
    return pair if pair and pair.source == source else None


@cache
def _small_numbers() -> dict[str, int]:
    """Numbers that are one word."""
    return {numbers.to_pair(n).source: n for n in (*range(20), *range(20, 100, 10))}


def _pronounce(source: str) -> Pair | None:
    word = source.lower()
    sounds = _sounds().get(word)
    return g2p.to_pair(word, sounds) if sounds else None


@cache
def _sounds() -> dict[str, str]:
    """What the letters of each word sound, as the dictionary's file has it."""
    lines = g2p.WORDS_PATH.read_text(encoding="utf-8").splitlines()
    return {word: sounds for word, _, sounds in (line.partition("\t") for line in lines)}


_FINDERS: dict[str, Callable[[str], Pair | None]] = {
    "everyday": everyday.read,
    "english-french": read,
    "digits": _carry_out,
    "dates": _find_date,
    "numbers": _find_number,
    "g2p": _pronounce,
}
