import random

import pytest

from viz.heads.text_alignment import align_texts, in_order, shift_pairs

TIRED = ["it", "was", "too", "tired", "."]
WIDE = ["it", "was", "too", "wide", "."]
LONGER = ["it", "was", "often", "too", "very", "tired", "."]


def test_a_word_that_is_replaced_is_paired_with_what_replaces_it():
    assert align_texts(TIRED, WIDE) == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))


def test_words_that_only_one_has_have_no_partner_and_stay_where_they_stand():
    pairs = align_texts(TIRED, LONGER)
    assert pairs == ((0, 0), (1, 1), (None, 2), (2, 3), (None, 4), (3, 5), (4, 6))
    turned = align_texts(LONGER, TIRED)
    assert sorted((j, i) for i, j in turned if None not in (i, j)) == [
        (i, j) for i, j in pairs if None not in (i, j)
    ]


def test_a_shift_keeps_what_is_within():
    pairs = ((0, 0), (1, None), (2, 1), (3, 2))
    assert shift_pairs(pairs, 1, (2, 2)) == ((0, None), (1, 0), (None, 1))


@pytest.mark.parametrize("seed", range(5))
def test_every_token_of_both_is_there_once(seed: int):
    drawn = random.Random(seed)
    a, b = ([drawn.choice("abcd") for _ in range(drawn.randrange(12))] for _ in range(2))
    for pairs in (align_texts(a, b), in_order({}, len(a), len(b))):
        assert sorted(i for i, _ in pairs if i is not None) == list(range(len(a)))
        assert sorted(j for _, j in pairs if j is not None) == list(range(len(b)))
