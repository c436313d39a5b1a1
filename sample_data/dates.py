"""Dates as people write them in English, to ISO 8601, character by character."""

import datetime
import random
from collections.abc import Callable, Iterator, Sequence

from sample_data.pairs import Pair

FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)

_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_SUFFIXES = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}

Part = tuple[str, str]
"""A piece of the text, and what it says: "year", "month", "day", or "" for neither."""


def _year(date: datetime.date) -> Part:
    return f"{date.year}", "year"


def _month(date: datetime.date) -> Part:
    return _MONTHS[date.month - 1], "month"


def _short_month(date: datetime.date) -> Part:
    return _MONTHS[date.month - 1][:3], "month"


def _month_number(date: datetime.date) -> Part:
    return f"{date.month:02}", "month"


def _day(date: datetime.date) -> Part:
    return f"{date.day}", "day"


def _two_digit_day(date: datetime.date) -> Part:
    return f"{date.day:02}", "day"


def _ordinal_suffix(date: datetime.date) -> Part:
    return _SUFFIXES.get(date.day, "th"), ""


def _weekday(date: datetime.date) -> Part:
    return _WEEKDAYS[date.weekday()], ""


Piece = str | Callable[[datetime.date], Part]

FORMATS: tuple[tuple[Piece, ...], ...] = (
    (_day, " ", _month, " ", _year),  # 5 March 2024
    (_month, " ", _day, ", ", _year),  # March 5, 2024
    (_day, " ", _short_month, " ", _year),  # 5 Mar 2024
    (_short_month, " ", _day, ", ", _year),  # Mar 5, 2024
    (_weekday, ", ", _day, " ", _month, " ", _year),  # Tuesday, 5 March 2024
    (_month, " ", _day, _ordinal_suffix, ", ", _year),  # March 5th, 2024
    ("the ", _day, _ordinal_suffix, " of ", _month, " ", _year),  # the 5th of March 2024
    (_month_number, "/", _two_digit_day, "/", _year),  # 03/05/2024: the month first
    (_two_digit_day, ".", _month_number, ".", _year),  # 05.03.2024: the day first
)


def random_pairs(rng: random.Random) -> Iterator[Pair]:
    """Yield random dates in random formats without end."""
    days = (LAST - FIRST).days + 1
    while True:
        date = FIRST + datetime.timedelta(days=rng.randrange(days))
        yield to_pair(date, rng.choice(FORMATS))


def to_pair(date: datetime.date, written: Sequence[Piece]) -> Pair:
    """Return the date as written and in ISO 8601, each part of it with the characters it is from.

    A part that has as many characters on both sides is aligned one to one, any other (a month's
    name, a day of one digit) with each character to each.
    """
    parts = [(piece, "") if isinstance(piece, str) else piece(date) for piece in written]
    target = date.isoformat()
    places = {"year": range(4), "month": range(5, 7), "day": range(8, 10)}
    links: set[tuple[int, int]] = set()
    start = 0
    for text, what in parts:
        source = range(start, start + len(text))
        start += len(text)
        if what:
            links.update(_links(source, places[what]))
    return Pair("".join(text for text, _ in parts), target, frozenset(links))


def _links(source: range, target: range) -> set[tuple[int, int]]:
    if len(source) == len(target):
        return set(zip(source, target, strict=True))
    return {(i, j) for i in source for j in target}
