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


def test_tokens_are_rows_of_the_table_times_the_root_of_d_model():
    embedding = make_embedding()
    tokens = embedding(SOURCE).tokens
    for sentence in range(2):
        for position in range(3):
            row = embedding.weight[SOURCE[sentence, position]]
            assert_close(tokens[sentence, position], row * 4.0)


def test_tokens_may_stay_as_they_are():
    embedding = make_embedding(scaled=False)
    assert torch.equal(embedding(SOURCE).tokens, embedding.weight[SOURCE])


def test_output_adds_positions_to_tokens():
    trace = make_embedding()(SOURCE)
    assert_close(trace.positions, sinusoidal(3, 16))
    assert_close(trace.output[1, 2], trace.tokens[1, 2] + sinusoidal(3, 16)[2])


def test_a_repeated_token_differs_by_its_position_alone():
    trace = make_embedding()(SOURCE)
    assert torch.equal(trace.tokens[0, 0], trace.tokens[0, 2])
    assert not torch.allclose(trace.output[0, 0], trace.output[0, 2])


def test_starting_later_means_later_positions():
    embedding = make_embedding()
    whole, rest = embedding(SOURCE), embedding(SOURCE[:, 1:], start=1)
    assert torch.equal(rest.positions, whole.positions[1:])
    assert torch.equal(rest.output, whole.output[:, 1:])


@pytest.mark.parametrize("kind", FORMULAS)
def test_positions_beyond_the_table_follow_the_formula(kind: Positions):
    embedding = make_embedding(positions=kind, max_length=4)
    assert torch.equal(embedding.positions(2, 9), fixed_positions(kind, 9, 16)[2:9])
    assert torch.equal(embedding.positions(0, 4), fixed_positions(kind, 4, 16))
    assert embedding.positions(6, 9).dtype == torch.float32


def test_learned_positions_are_rows_of_their_own_table():
    embedding = make_embedding(positions="learned", max_length=5)
    assert torch.equal(embedding.positions(1, 5), embedding.get_parameter("learned.weight")[1:5])


def test_learned_positions_end():
    embedding = make_embedding(positions="learned", max_length=5)
    with pytest.raises(ValueError, match="learned up to 5, got a sequence of 6 tokens"):
        embedding.positions(3, 6)


def test_formulas_are_not_saved_and_learned_positions_are():
    assert set(make_embedding().state_dict()) == {"weight"}
    learned = make_embedding(positions="learned")
    assert set(learned.state_dict()) == {"weight", "learned.weight"}


def test_dropout_acts_on_the_sum_while_training():
    embedding = make_embedding(dropout=0.5)
    expected = embedding(SOURCE)
    trained = embedding.train()(SOURCE)
    assert torch.equal(trained.tokens, expected.tokens)
    kept = trained.output != 0
    assert 0 < kept.sum() < kept.numel()
    assert_close(trained.output[kept], 2 * expected.output[kept])


@pytest.mark.parametrize("scaled", [True, False])
def test_tokens_start_with_unit_variance(scaled: bool):
    torch.manual_seed(0)
    tokens = Embedding(200, 64, scaled=scaled)(torch.arange(200).unsqueeze(0)).tokens
    assert tokens.std().item() == pytest.approx(1, rel=0.05)


def test_learned_positions_start_with_the_variance_of_sines():
    torch.manual_seed(0)
    learned = Embedding(11, 64, positions="learned", max_length=200).positions(0, 200)
    assert learned.std().item() == pytest.approx(sinusoidal(200, 64).std().item(), rel=0.2)
    assert learned.std().item() == pytest.approx(0.5**0.5, rel=0.05)
