import random
import re
from collections import Counter
from itertools import islice

import pytest

from sample_data.one_text.agreement import (
    ATTRACTOR,
    MASK,
    PLAIN,
    REFLEXIVE,
    REFLEXIVES,
    SAME,
    VERBS,
    WORDS,
    random_texts,
    read,
)

MANY = {"boys", "kings", "men", "fathers", "girls", "queens", "women", "mothers"} | {
    "cats", "dogs", "birds", "horses"
}  # fmt: skip
SUBJECT = re.compile(r"^the (?:old |small |happy |tired )?(\w+)")
PERSON = {"himself": "boy king man father", "herself": "girl queen woman mother"}


def sentences(count=3000):
    return list(islice(random_texts(random.Random(0)), count))


def test_the_verb_and_the_reflexive_are_those_of_the_first_noun():
    for found in sentences():
        words = found.text.split()
        noun = SUBJECT.match(found.text)[1]
        for known in found.known:
            assert [words[place] for place in known.looks] == [noun]
            word = words[known.word]
            if known.kind == REFLEXIVE:
                assert (word == "themselves") == (noun in MANY)
                if noun not in MANY:
                    told = [r for r, nouns in PERSON.items() if noun in nouns.split()]
                    assert [word] == (told or ["itself"])
            else:
                assert word in VERBS[noun in MANY]


def test_the_kind_tells_the_number_of_the_noun_between():
    nouns = re.compile(r"the (?:(?:old|small|happy|tired) )?(\w+)")
    for found in sentences():
        verb = found.known[0]
        before = " ".join(found.text.split()[: verb.word])
        numbers = [noun in MANY for noun in nouns.findall(before)]
        expected = PLAIN if len(numbers) == 1 else SAME if numbers[0] == numbers[1] else ATTRACTOR
        assert verb.kind == expected


def test_all_kinds_are_frequent_and_all_words_come():
    found = sentences()
    kinds = Counter(known.kind for text in found for known in text.known)
    assert kinds.keys() == {PLAIN, SAME, ATTRACTOR, REFLEXIVE}
    assert min(kinds.values()) > 0.2 * len(found)
    reflexives = Counter(w for text in found for w in text.text.split() if w in REFLEXIVES)
    assert min(reflexives.values()) > 0.03 * len(found)
    assert {word for text in found for word in text.text.split()} == set(WORDS) - {MASK}


def test_reading_what_someone_typed():
    [verb] = read("The kings near the dog <mask> old.").known
    assert (verb.word, verb.looks, verb.kind) == (5, (1,), ATTRACTOR)
    verb, reflexive = read("the old girl that the boys see likes <mask>").known
    assert (verb.word, reflexive.word, reflexive.looks) == (7, 8, (2,))
    assert reflexive.kind == REFLEXIVE


@pytest.mark.parametrize("text", ["", "the", "the old", "the king near", "kings see", "the dragon"])
def test_reading_what_is_no_sentence(text):
    assert read(text) is None
