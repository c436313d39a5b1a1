import pytest
import torch
from torch.testing import assert_close

from model.config import Positions
from model.embedding import Embedding
from model.positions import fixed_positions, sinusoidal
from tests.tiny import SOURCE

FORMULAS = ["sinusoidal", "double_sine", "single_frequency", "none"]


def make_embedding(**settings) -> Embedding:
    torch.manual_seed(0)
    return Embedding(11, 16, **settings).eval()


def test_output_adds_positions_to_tokens():
    trace = make_embedding()(SOURCE)
    assert_close(trace.positions, sinusoidal(3, 16))
    assert_close(trace.output[1, 2], trace.tokens[1, 2] + sinusoidal(3, 16)[2])


@pytest.mark.parametrize("kind", FORMULAS)
def test_positions_beyond_the_table_follow_the_formula(kind: Positions):
    embedding = make_embedding(positions=kind, max_length=4)
    assert torch.equal(embedding.positions(2, 9), fixed_positions(kind, 9, 16)[2:9])
    assert torch.equal(embedding.positions(0, 4), fixed_positions(kind, 4, 16))
    assert embedding.positions(6, 9).dtype == torch.float32


def test_learned_positions_end():
    embedding = make_embedding(positions="learned", max_length=5)
    with pytest.raises(ValueError, match="learned 5 positions, got a sequence of 6 tokens"):
        embedding.positions(3, 6)


def test_formulas_are_not_saved_and_learned_positions_are():
    assert set(make_embedding().state_dict()) == {"weight"}
    learned = make_embedding(positions="learned")
    assert set(learned.state_dict()) == {"weight", "learned.weight"}


def test_a_skipped_id_has_the_row_before_the_first_and_is_not_counted():
    embedding = make_embedding(positions="learned", max_length=5, position_offset=2, skipped=0)
    rows = embedding.learned.weight
    assert torch.equal(embedding(torch.tensor([[3, 0, 4, 0]])).positions, rows[[2, 1, 3, 1]])
    assert torch.equal(embedding(torch.tensor([[3, 4]])).positions, rows[2:4])
    several = embedding(torch.tensor([[3, 0, 4], [3, 4, 5]])).positions
    assert torch.equal(several, rows[torch.tensor([[2, 1, 3], [2, 3, 4]])])
