import re

import pytest

from viz.heads.coreference import find_meaning, other_readings

TIRED = "the animal did not cross the street because it was too tired ."
WIDE = TIRED.replace("tired", "wide")


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@pytest.mark.parametrize(
    ("text", "noun", "pronoun"), [(TIRED, "animal", "il"), (WIDE, "street", "elle")]
)
def test_it_is_the_noun_that_the_adjective_can_be_said_of(text, noun, pronoun):
    found = find_meaning("everyday", words(text))
    assert found is not None
    assert words(text)[found.it] == "it"
    assert [words(text)[at] for at in found.candidates] == ["animal", "street"]
    assert (words(text)[found.right], found.pronoun) == (noun, pronoun)
    assert words(text)[found.adjective] in ("tired", "wide")


def test_of_two_nouns_of_one_gender_the_adjective_decides():
    text = "the dog did not eat the bread because it was too tired ."
    found = find_meaning("everyday", words(text))
    assert found is not None
    assert words(text)[found.right] == "dog"


@pytest.mark.parametrize(
    "text",
    [
        "the dog sees the cat .",
        "because it was too tired .",
        "she did not eat it because it was cold .",
        "the gloop did not cross the street because it was too tired .",
        "it " * 400,
        "because " * 400 + "it was tired .",
    ],
)
def test_where_the_data_do_not_say_it_there_is_no_meaning(text):
    assert find_meaning("everyday", words(text)) is None
    assert find_meaning("digits", words(text)) is None


def test_other_adjectives_change_the_noun_and_the_french_pronoun():
    found = find_meaning("everyday", words(TIRED))
    assert found is not None
    others = list(other_readings("everyday", words(TIRED), found))
    assert others
    for adjective in others:
        changed = find_meaning("everyday", words(re.sub(r"\btired\b", adjective, TIRED)))
        assert changed is not None
        assert (changed.right, changed.pronoun) == (6, "elle")
    assert len(others) == len(set(others))


def test_the_adjective_of_an_example_comes_first():
    found = find_meaning("everyday", words(TIRED))
    assert found is not None
    examples = [words("the dog sleeps ."), words(TIRED), words(WIDE)]
    assert next(other_readings("everyday", words(TIRED), found, examples)) == "wide"
