import pytest
import torch
from torch.testing import assert_close

from model.attribution.gradients import integrate_closely, integrated_gradients
from model.attribution.measures import MEASURES, measure_again, measure_trace, swapped
from model.checkpoints.checkpoint import load_checkpoint
from tests.model.by_hand import IDS, WRITTEN, asked, double, log_probabilities, traced


@pytest.mark.slow
def test_all_measures_by_name_in_every_variant(variant: str):
    model, trace = double(variant), traced(double(variant))
    seen = measure_trace(model, trace, WRITTEN[1:])
    one, others = asked(model), [(7, 8)] * len(IDS)
    again = measure_again(one, integrated_gradients(one, steps=2), others)
    assert (*seen, *again) == MEASURES
    for name, values in (seen | again).items():
        assert values.shape == (len(WRITTEN) - 1, len(IDS)), name
        assert values.isfinite().all(), name
    last = trace.decoder.layers[-1].cross_attn
    assert_close(seen["attention"], last.weights[0].mean(dim=0))
    assert_close(again["swapped"], swapped(one, others))


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-bert", "tiny-alibi"])
def test_of_one_text_the_last_layer_is_measured(one_text_checkpoints, name):
    model = load_checkpoint(one_text_checkpoints / name).model.double()
    ids = torch.tensor([[1, 4, 5, 6, 4, 7]])
    with torch.inference_mode():
        trace = model(*((ids, None) if model.config.has_encoder else (None, ids)))
    found = measure_trace(model, trace, ids[0].tolist())
    assert set(found) == {"attention", "vectors"}
    stack = "encoder" if model.config.has_encoder else "decoder"
    attention = getattr(trace, stack).layers[-1].self_attn
    assert_close(found["attention"], attention.weights[0].mean(0))
    module = model.get_submodule(f"{stack}.layers.1.self_attn")
    only = attention.heads.clone()
    only[0] = (
        attention.weights[0, :, :, [2]]
        * attention.value[0, [attention.key_head(h) for h in range(4)]][:, [2]]
    )
    brought = only.transpose(1, 2).flatten(2)[0] @ module.output.weight.T
    assert_close(found["vectors"][:, 2], brought.norm(dim=-1).detach())


def test_integration_goes_on_until_it_is_close():
    one = asked(double(), 2)
    coarse = integrated_gradients(one, steps=64)
    assert integrate_closely(one, close=1e9, most_steps=1024).steps == 64
    fine = integrate_closely(one, close=float(coarse.error.abs()) / 2, most_steps=100_000)
    assert fine.steps > 64
    assert fine.error.abs() <= coarse.error.abs() / 2
    assert integrate_closely(one, close=0.0, most_steps=200).steps == 128
    with pytest.raises(ValueError, match="rows"):
        asked(double(), 99)
    assert torch.is_tensor(fine.values)


def drops(model, changed) -> torch.Tensor:
    """Return the changes of the log-probabilities when the model runs on a changed source."""
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
