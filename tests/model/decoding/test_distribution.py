import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from model.decoding.distribution import best_first, draw, log_softmax, sampling_distribution

LOGITS = torch.tensor([0.1, 0.3, 0.05, 0.4, 0.15]).log()
TIED = torch.tensor([0.2, 0.3, 0.2, 0.1, 0.2]).log()


def distribution(logits: Tensor = LOGITS, **settings) -> list[float]:
    return sampling_distribution(logits, **settings).tolist()


def chi_squared_p_value(counts: Tensor, probabilities: Tensor) -> float:
    """Return the probability of a worse fit if the counts were drawn from the probabilities."""
    possible = probabilities > 0
    assert not counts[~possible].any()
    expected = probabilities[possible] * counts.sum()
    statistic = ((counts[possible] - expected) ** 2 / expected).sum()
    degrees = possible.sum() - 1
    return torch.special.gammaincc(degrees.double() / 2, statistic / 2).item()


def test_plain_sampling_is_the_softmax():
    assert_close(sampling_distribution(LOGITS), LOGITS.double().softmax(dim=-1))


def test_temperature_raises_probabilities_to_its_inverse():
    squares = [p**2 for p in (0.1, 0.3, 0.05, 0.4, 0.15)]
    assert distribution(temperature=0.5) == pytest.approx([s / sum(squares) for s in squares])


@pytest.mark.parametrize("temperature", [1e-300, 1e-6, 1e300])
def test_extreme_temperatures_still_give_a_distribution(temperature: float):
    expected = [0.2] * 5 if temperature > 1 else [0.0, 0.0, 0.0, 1.0, 0.0]
    assert distribution(temperature=temperature) == pytest.approx(expected)


def test_top_k_keeps_the_most_probable():
    assert distribution(top_k=2) == pytest.approx([0, 3 / 7, 0, 4 / 7, 0])
    assert distribution(top_k=1) == [0, 0, 0, 1, 0]
    assert distribution(top_k=99) == distribution()


@pytest.mark.parametrize(
    ("top_p", "kept"), [(1e-9, [3]), (0.4, [3]), (0.41, [1, 3]), (1.0, [0, 1, 2, 3, 4])]
)
def test_top_p_keeps_the_smallest_set_that_reaches_it(top_p: float, kept: list[int]):
    probabilities = LOGITS.exp()
    expected = [float(probabilities[i] / probabilities[kept].sum()) * (i in kept) for i in range(5)]
    assert distribution(top_p=top_p) == pytest.approx(expected, abs=1e-6)


def test_top_p_is_reached_within_the_rounding_of_the_logits():
    # In float32 the first two add up to 0.6999999987.
    logits = torch.tensor([0.38, 0.32, 0.3]).log()
    assert distribution(logits, top_p=0.7) == pytest.approx([0.38 / 0.7, 0.32 / 0.7, 0])


def test_top_p_is_of_the_mass_that_top_k_leaves():
    # Of 0.4 and 0.3, the first has 0.57 of the rest: enough for 0.5, not for 0.6.
    assert distribution(top_k=2, top_p=0.5) == [0, 0, 0, 1, 0]
    assert distribution(top_k=2, top_p=0.6) == pytest.approx([0, 3 / 7, 0, 4 / 7, 0])


def test_among_equals_the_lower_ids_stay():
    assert distribution(TIED, top_k=3) == pytest.approx([2 / 7, 3 / 7, 2 / 7, 0, 0])
    assert distribution(TIED, top_p=0.5) == pytest.approx([0.4, 0.6, 0, 0, 0])


def test_an_impossible_token_is_not_drawn_even_by_the_number_0(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch, "rand", lambda *_, **__: torch.zeros(1, dtype=torch.float64))
    probabilities = torch.tensor([0.0, 0.5, 0.5], dtype=torch.float64)
    assert draw(probabilities, torch.Generator()) == 1


def test_impossible_tokens_stay_impossible():
    logits = torch.tensor([0.0, -torch.inf, 0.0])
    assert distribution(logits, temperature=2.0, top_k=3, top_p=1.0) == [0.5, 0, 0.5]


def test_draws_follow_the_distribution_and_so_do_first_draws_of_seeds_in_a_row():
    generator = torch.Generator().manual_seed(0)
    right, wrong = sampling_distribution(LOGITS), sampling_distribution(LOGITS, temperature=1.1)
    in_a_row = torch.tensor([draw(right, generator) for _ in range(10_000)]).bincount(minlength=5)
    firsts = [draw(right, torch.Generator().manual_seed(n)) for n in range(10_000)]
    assert chi_squared_p_value(in_a_row, right) > 1e-3
    assert chi_squared_p_value(torch.tensor(firsts).bincount(minlength=5), right) > 1e-3
    assert chi_squared_p_value(in_a_row, wrong) < 1e-3, "a fit is told from a slightly wrong one"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0.0}, "temperature must be above 0, got 0.0"),
        ({"top_k": 0}, "top_k must be at least 1, got 0"),
        ({"top_p": 1.01}, "top_p must be above 0 and at most 1, got 1.01"),
    ],
    ids=str,
)
def test_settings_that_make_no_distribution_are_refused(settings: dict, message: str):
    with pytest.raises(ValueError, match=message):
        sampling_distribution(LOGITS, **settings)


def test_best_first_keeps_the_order_of_equals():
    values = torch.tensor([1.0, 3.0, 2.0, 3.0, 1.0, 2.0])
    for count in range(1, 8):
        assert best_first(values, count).tolist() == [1, 3, 2, 5, 0, 4][:count]


def test_log_softmax_is_in_float64():
    logits = torch.tensor([[0.0, 100.0]])
    assert log_softmax(logits)[0, 1].item() == pytest.approx(-3.72e-44, rel=1e-3)
