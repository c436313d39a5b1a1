import pytest
import torch

from model.attribution.cuts import Part
from model.attribution.text_ablation import cut_heads, mean_heads, score_cut, text_heads
from model.training.text_evaluation import evaluate_texts
from tests.model.training.test_text_evaluation import AROUND, BEFORE, model_of


@pytest.mark.parametrize(("stack", "examples"), [("decoder", BEFORE), ("encoder", AROUND)])
def test_means_are_over_all_positions_of_all_texts(stack, examples):
    model = model_of(stack)
    means = mean_heads(model, examples)
    with torch.inference_mode():
        rows = []
        for example in examples:
            ids = torch.tensor([example.ids])
            trace = model(None, ids) if stack == "decoder" else model(ids, None)
            layers = (trace.decoder or trace.encoder).layers
            rows += layers[1].self_attn.heads[0, 1].tolist()
    expected = torch.tensor(rows).mean(dim=0)
    torch.testing.assert_close(means[Part(f"{stack}.layers.1.self_attn", 1)], expected)


def test_a_cut_head_writes_its_mean_and_the_others_what_they_see_then():
    model = model_of("decoder")
    means = mean_heads(model, BEFORE)
    cut = Part("decoder.layers.0.self_attn", 1)
    ids = torch.tensor([BEFORE[1].ids])
    with torch.inference_mode():
        whole = model(None, ids).decoder.layers
        without = model(None, ids, edits=cut_heads([cut], means)).decoder.layers
    expected = means[cut].expand(ids.size(1), -1)
    torch.testing.assert_close(without[0].self_attn.heads[0, 1], expected)
    torch.testing.assert_close(without[0].self_attn.heads[0, 0], whole[0].self_attn.heads[0, 0])
    moved = without[1].self_attn.weights - whole[1].self_attn.weights
    assert moved.abs().max() > 1e-3


def test_the_score_of_a_cut():
    model = model_of("decoder")
    means = mean_heads(model, BEFORE)
    assert score_cut(model, BEFORE, (), means) == evaluate_texts(model, BEFORE)
    cut = score_cut(model, BEFORE, text_heads(model)[:2], means)
    assert cut.loss != pytest.approx(evaluate_texts(model, BEFORE).loss, abs=1e-3)
    first = evaluate_texts(model, BEFORE).heads[:2]
    assert cut.heads[:2] == first  # a head that is cut still reads what it read
