from typing import get_args

import pytest

from model.config import Positions
from texts import LANGUAGES, say_of, speaking


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_every_choice_of_a_config_has_its_words_and_no_two_read_alike(spoken):
    positions = [k for k in get_args(Positions) if k not in ("rotary", "alibi", "relative", "none")]
    sizes = {"longest": 8660.0, "most": 512}
    with speaking(spoken):
        said = [
            {say_of("config.position_name", kind) for kind in positions},
            {say_of("config.position_sentence", kind, **sizes) for kind in positions},
        ]
        assert [len(each) for each in said] == 2 * [len(positions)]
