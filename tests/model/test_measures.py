import pytest
import torch
from torch.testing import assert_close

from model.gradients import integrate_closely, integrated_gradients
from model.measures import MEASURES, measure_again, measure_trace
from model.occlusion import swapped
from tests.model.by_hand import IDS, WRITTEN, asked, double, traced


def test_all_measures_by_name_in_every_variant(variant: str):
    model, trace = double(variant), traced(double(variant))
    seen = measure_trace(model, trace, WRITTEN[1:], (1, 2))
    one, others = asked(model), [(7, 8)] * len(IDS)
    again = measure_again(one, others, integrated_gradients(one, steps=2))
    assert (*seen, *again) == MEASURES
    for name, values in (seen | again).items():
        assert values.shape == (len(WRITTEN) - 1, len(IDS)), name
        assert values.isfinite().all(), name
    assert_close(seen["head"], trace.decoder.layers[1].cross_attn.weights[0, 2])
    last = trace.decoder.layers[-1].cross_attn
    assert_close(seen["attention"], last.weights[0].mean(dim=0))
    assert_close(again["swapped"], swapped(one, others))


def test_no_unknown_word_is_put_where_a_model_knows_all():
    one, others = asked(double()), [(7, 8)] * len(IDS)
    again = measure_again(one, others, integrated_gradients(one, steps=2), unk_id=None)
    assert "unknown" not in again
    other = measure_again(one, others, integrated_gradients(one, steps=2), unk_id=7)
    assert_close(other["unknown"], swapped(one, [(7,)] * len(IDS)))


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
