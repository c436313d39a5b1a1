import random
from collections import Counter
from itertools import islice

from sample_data.one_text.brackets import DEPTH, FAR, LENGTHS, PAIRS, random_texts, read


def texts(count=2000):
    return list(islice(random_texts(random.Random(0)), count))


def matching(text, close):
    """Return the opening bracket of a closing one, by counting to the left."""
    depth = 0
    for place in range(close, -1, -1):
        depth += 1 if text[place] in PAIRS.values() else -1
        if depth == 0:
            return place
    raise AssertionError(text)


def test_texts_are_balanced():
    lengths, kinds, deepest = Counter(), Counter(), 0
    for found in texts():
        reduced = found.text
        while (shorter := reduced.replace("()", "").replace("[]", "").replace("{}", "")) != reduced:
            reduced = shorter
        assert reduced == ""
        lengths[len(found.text)] += 1
        kinds.update(found.text)
        depth = 0
        for sign in found.text:
            depth += 1 if sign in PAIRS else -1
            deepest = max(deepest, depth)
    assert lengths.keys() == set(LENGTHS)
    assert deepest == DEPTH
    assert max(kinds[sign] for sign in PAIRS) < 1.1 * min(kinds[sign] for sign in PAIRS)


def test_gold_is_the_matching_bracket():
    for found in texts(500):
        closing = [i for i, sign in enumerate(found.text) if sign in PAIRS.values()]
        assert [known.word for known in found.known] == closing
        for known in found.known:
            [opened] = known.looks
            assert opened == matching(found.text, known.word)
            assert PAIRS[found.text[opened]] == found.text[known.word]
            assert known.kind == ("far" if known.word - opened > FAR else "near")


def test_reading_what_someone_typed():
    assert [known.looks for known in read("([]{").known] == [(1,)]
    assert read("((").known == ()
    assert read("(]") is None
    assert read(")") is None
    assert read("( )") is None
    assert read("") is None
