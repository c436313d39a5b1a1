from typing import get_args

from model.config import Positions, Tying
from viz.run.config_words import POSITIONS, TYING


def test_every_choice_has_its_words_and_no_two_read_alike():
    assert tuple(POSITIONS) == get_args(Positions)
    assert tuple(TYING) == get_args(Tying)
    for words in zip(*POSITIONS.values(), strict=True):
        assert len(set(words)) == len(POSITIONS)
    assert len(set(TYING.values())) == len(TYING)
