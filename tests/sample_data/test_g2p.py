import random
import re

import pytest

from sample_data.g2p import WORDS_PATH, random_pairs, select
from sample_data.tasks import TASKS


def pairs():
    return {pair.source: pair for pair in random_pairs(random.Random(0))}


def test_words_and_phonemes():
    found = pairs()
    lines = WORDS_PATH.read_text(encoding="utf-8").splitlines()
    assert len(found) == len(lines) > 36_000
    assert WORDS_PATH.stat().st_size < 1_200_000
    assert all(re.fullmatch("[a-z]{3,10}", word) for word in found)
    phonemes = {phoneme for pair in found.values() for phoneme in pair.target.split()}
    assert len(phonemes) == 39
    assert found["photo"].target == "F OW T OW"
    assert set(TASKS["g2p"].examples) <= set(found)


@pytest.mark.parametrize(
    ("word", "sounds"),
    [
        ("photo", "F + OW T OW"),
        ("night", "N AY + + T"),
        ("make", "M EY K _"),
        ("mix", "M IH K|S"),
        ("batter", "B AE T + ER +"),
        ("running", "R AH N + IH NG +"),
        ("watch", "W AA CH + +"),
        ("nation", "N EY SH + AH N"),
        ("little", "L IH T + AH|L _"),
        ("queen", "K W IY + N"),
        ("judge", "JH AH JH + +"),
    ],
)
def test_letters_of_a_word(word, sounds):
    lines = WORDS_PATH.read_text(encoding="utf-8").splitlines()
    assert f"{word}\t{sounds}" in lines


def test_links_of_a_word():
    found = pairs()
    assert found["photo"].alignment == {(0, 0), (1, 0), (2, 1), (3, 2), (4, 3)}
    assert found["make"].alignment == {(0, 0), (1, 1), (2, 2)}  # e is silent
    assert found["mix"].alignment == {(0, 0), (1, 1), (2, 2), (2, 3)}


def test_alignments_run_forward_and_leave_out_no_phoneme():
    for pair in pairs().values():
        links = sorted(pair.alignment)
        targets = [target for _, target in links]
        assert targets == sorted(targets), pair
        assert set(targets) == set(range(len(pair.target.split()))), pair


def test_selection_drops_variants_stress_and_names():
    lines = ["a AH0", "photo F OW1 T OW0 # note", "photo(2) F AA1", "bob B AA1 B", "it's IH1 T S"]
    assert select(lines, frozenset({"photo", "it's", "a"})) == [("photo", ("F", "OW", "T", "OW"))]
