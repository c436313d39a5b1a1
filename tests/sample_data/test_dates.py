import datetime
import random
from collections import Counter
from itertools import islice

import pytest

from sample_data.dates import FORMATS, random_pairs, to_pair

DAY = datetime.date(2024, 3, 5)
WRITTEN = [
    ("5 March 2024", "%d %B %Y"),
    ("March 5, 2024", "%B %d, %Y"),
    ("5 Mar 2024", "%d %b %Y"),
    ("Mar 5, 2024", "%b %d, %Y"),
    ("Tuesday, 5 March 2024", "%A, %d %B %Y"),
    ("March 5th, 2024", "%B %dth, %Y"),
    ("the 5th of March 2024", "the %dth of %B %Y"),
    ("03/05/2024", "%m/%d/%Y"),
    ("05.03.2024", "%d.%m.%Y"),
]


@pytest.mark.parametrize(("written", "text"), list(zip(FORMATS, WRITTEN, strict=True)))
def test_each_format(written, text):
    pair = to_pair(DAY, written)
    assert pair.source == text[0]
    assert pair.target == "2024-03-05"


def test_targets_against_datetime():
    rest = [form.replace("%dth", "%d") for _, form in WRITTEN]
    for pair in islice(random_pairs(random.Random(0)), 2000):
        plain = pair.source
        for suffix in ("st", "nd", "rd", "th"):
            for digit in "0123456789":
                plain = plain.replace(digit + suffix, digit)
        readings = set()
        for form in rest:
            try:
                readings.add(datetime.datetime.strptime(plain, form).date().isoformat())
            except ValueError:
                continue
        assert readings == {pair.target}, pair.source


@pytest.mark.parametrize(
    ("day", "text"),
    [
        *((1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th")),
        *((13, "13th"), (21, "21st"), (22, "22nd"), (23, "23rd"), (30, "30th"), (31, "31st")),
    ],
)
def test_ordinals(day, text):
    assert to_pair(datetime.date(2024, 3, day), FORMATS[5]).source == f"March {text}, 2024"


def test_alignment_of_name_and_day():
    links = to_pair(DAY, FORMATS[2]).alignment  # "5 Mar 2024", "2024-03-05"
    month = {(i, j) for i in (2, 3, 4) for j in (5, 6)}
    assert links == {(0, 8), (0, 9), (6, 0), (7, 1), (8, 2), (9, 3)} | month


def test_alignment_of_numbers_is_one_to_one():
    pair = to_pair(DAY, FORMATS[7])  # "03/05/2024"
    assert all(pair.source[i] == pair.target[j] for i, j in pair.alignment)
    assert Counter(j for _, j in pair.alignment) == Counter([0, 1, 2, 3, 5, 6, 8, 9])
