import pytest
import torch
from torch.testing import assert_close

from model.attribution.passes import Pass
from model.edits import Edits, OnRows, scale
from tests.model.by_hand import IDS, TOKENS, WRITTEN, asked, double, log_probabilities


def test_log_probabilities_are_those_of_the_tokens_written(variant: str):
    model = double(variant)
    with torch.inference_mode():
        found = asked(model, 3, 1).log_probabilities(torch.tensor([IDS]))
    assert_close(found[0], log_probabilities(model, torch.tensor(IDS))[[3, 1]])


def test_an_edit_comes_after_the_one_in_force():
    in_force = Edits({TOKENS: OnRows((1,), scale(2.0))})
    one = asked(double(), edits=in_force)
    seen = []

    def keep(tensor):
        seen.append(tensor)
        return tensor

    with torch.inference_mode():
        one.log_probabilities(one.source[None], {TOKENS: keep})
    plain = asked(double()).embedded()
    doubled = plain * torch.tensor([1.0, 2.0, 1.0, 1.0])[:, None]
    assert_close(seen[0][0], doubled)
    assert_close(one.embedded(), doubled)


def test_long_sentences_are_few_at_once():
    assert asked(double()).most_at_once > 1000
    assert Pass.of(double(), (3,) * 500, (1, *(5,) * 500)).most_at_once == 1


@pytest.mark.parametrize("rows", [(4,), (-1,), ()])
def test_rows_that_are_not_there_are_refused(rows):
    with pytest.raises(ValueError, match="rows must be from 0 to 3"):
        Pass.of(double(), IDS, WRITTEN, rows)
