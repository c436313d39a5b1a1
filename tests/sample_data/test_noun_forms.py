"""The gender and number of nouns, in examples and against the rows of the lexicon."""

import pytest

from sample_data.everyday import english_nouns, french_nouns
from sample_data.everyday.tables import read_table
from sample_data.word_classes import NounForm


@pytest.mark.parametrize(
    ("word", "french", "form"),
    [
        ("dog", "chien", NounForm(is_feminine=False, is_plural=False, looks_plural=False)),
        ("streets", "rue", NounForm(is_feminine=True, is_plural=True, looks_plural=True)),
        ("jeans", "jean", NounForm(is_feminine=False, is_plural=False, looks_plural=True)),
        ("hair", "cheveux", NounForm(is_feminine=False, is_plural=True, looks_plural=False)),
    ],
)
def test_english_nouns_have_what_french_gives_them(word, french, form):
    found = english_nouns()[word]
    assert (found.french, found.form) == (french, form)


def test_french_nouns_have_their_own_number():
    found = french_nouns()
    assert found["jean"].form == NounForm(False, False, False)
    assert found["cheveux"].form == NounForm(False, True, True)
    assert found["clés"].form == NounForm(True, True, True)


@pytest.mark.parametrize("word", ["student", "drink", "the", "best friend"])
def test_what_has_two_genders_or_is_no_noun_first_of_all_is_left_out(word):
    assert word not in english_nouns()


def test_genders_are_those_of_the_rows():
    """Words with one row and no feminine form must have the gender of that row."""
    rows = read_table("nouns")
    written = [word for row in rows for word in (row["english"], row["plural"])]
    found = english_nouns()
    checked = 0
    for row in rows:
        word = row["english"]
        if written.count(word) == 1 and not row["feminine"] and word in found:
            assert found[word].form.is_feminine == (row["gender"] == "f"), word
            checked += 1
    assert checked > 500
