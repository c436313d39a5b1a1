import random

import pytest
from num2words import num2words

from sample_data.numbers import LAST, to_pair


def spoken(number, lang):
    return num2words(number, lang=lang).replace("-", " ").replace(",", "")


def numbers():
    return [*range(1100), *range(79_970, 80_030), *random.Random(0).sample(range(LAST + 1), 1000)]


def test_both_languages_against_num2words():
    for number in [*numbers(), 71_000, 80_000, 200_000, 300_080, LAST]:
        pair = to_pair(number)
        assert pair.source == spoken(number, "en")
        assert pair.target == spoken(number, "fr"), number


@pytest.mark.parametrize(
    ("number", "target"),
    [
        (0, "zéro"),
        (17, "dix sept"),
        (21, "vingt et un"),
        (71, "soixante et onze"),
        (80, "quatre vingts"),
        (81, "quatre vingt un"),
        (91, "quatre vingt onze"),
        (99, "quatre vingt dix neuf"),
        (100, "cent"),
        (200, "deux cents"),
        (201, "deux cent un"),
        (1000, "mille"),
        (80_000, "quatre vingt mille"),
        (200_000, "deux cent mille"),
        (1_080, "mille quatre vingts"),
    ],
)
def test_spelling(number, target):
    assert to_pair(number).target == target


@pytest.mark.parametrize(
    ("number", "links"),
    [
        (72, {(0, 0), (0, 1), (1, 1)}),  # seventy two, soixante douze
        (78, {(0, 0), (0, 1), (1, 2)}),  # seventy eight, soixante dix huit
        (21, {(0, 0), (0, 1), (1, 2)}),  # twenty one, vingt et un
        (1_005, {(0, 0), (1, 0), (3, 1)}),  # one thousand and five, mille cinq
        (300, {(0, 0), (1, 1)}),
    ],
)
def test_alignment(number, links):
    assert to_pair(number).alignment == links


def test_every_french_word_has_its_english_one():
    for number in numbers():
        pair = to_pair(number)
        assert {j for _, j in pair.alignment} == set(range(len(pair.target.split())))


@pytest.mark.parametrize("number", [-1, LAST + 1])
def test_a_number_out_of_range(number):
    with pytest.raises(ValueError, match=f"number must be from 0 to 999999, got {number}"):
        to_pair(number)
