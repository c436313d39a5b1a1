"""Against the model's forward on each changed source by itself."""

import torch
from torch.testing import assert_close

from model.attribution.token_swaps import swapped
from tests.model.by_hand import IDS, WRITTEN, asked, double, log_probabilities


def drops(model, changed) -> torch.Tensor:
    whole = log_probabilities(model, torch.tensor(IDS))
    return whole - log_probabilities(model, torch.tensor(changed))


def without(place: int, *instead: int) -> list[int]:
    return [*IDS[:place], *instead, *IDS[place + 1 :]]


def test_a_swap_costs_the_mean_of_what_each_costs():
    model = double()
    found = swapped(asked(model), [(), (7, 9, 10), (8,), ()])
    means = torch.stack([drops(model, without(1, id)) for id in (7, 9, 10)]).mean(0)
    assert_close(found[:, 1], means)
    assert_close(found[:, 2], drops(model, without(2, 8)))
    assert found[:, [0, 3]].isnan().all()
    assert swapped(asked(model), [()] * len(IDS)).isnan().all()


def test_many_places_are_run_a_few_at_a_time(monkeypatch):
    others = [(7, 9, 10)] * len(IDS)
    found = swapped(asked(double()), others)
    monkeypatch.setattr("model.attribution.passes._MOST_CELLS", 3 * (len(IDS) + len(WRITTEN)) ** 2)
    assert asked(double()).most_at_once == 3
    assert_close(swapped(asked(double()), others), found)
