import random
from collections import Counter
from itertools import islice

from sample_data.one_text.induction import LENGTH, PERIODS, random_texts, read


def rows(count=2000):
    return list(islice(random_texts(random.Random(0)), count))


def period_of(words):
    """Return the smallest shift under which a row repeats itself."""
    return next(p for p in range(1, len(words)) if words[p:] == words[:-p])


def test_a_row_begins_again_after_a_period_of_its_own():
    periods = Counter()
    for text in rows():
        words = text.text.split()
        period = period_of(words)
        assert len(words) == LENGTH
        assert len(set(words[:period])) == period
        assert [known.word for known in text.known] == list(range(period + 1, LENGTH))
        periods[period] += 1
    assert periods.keys() == set(PERIODS)
    assert max(periods.values()) < 3 * min(periods.values())  # drawn uniformly


def test_gold_is_where_the_same_two_words_stood():
    for text in rows(200):
        words = text.text.split()
        for known in text.known:
            two = words[known.word - 1], words[known.word]
            stood = [i for i in range(1, known.word) if (words[i - 1], words[i]) == two]
            assert list(known.looks) == stood


def test_reading_what_someone_typed():
    found = read("moon ship moon ship bell moon")
    assert [(known.word, known.looks) for known in found.known] == [(3, (1,))]
    [known] = read("star moon star ship star ship").known
    assert (known.word, known.looks) == (5, (3,))  # the last time after "ship"
    assert read("moon").known == ()
    assert read("moon dragon") is None
    assert read("  ") is None
