from dataclasses import replace

import numpy as np
import pytest
import torch

from viz.subjects.variants.facts import (
    Biases,
    Scale,
    Tied,
    compare_scale,
    count_tied,
    remove_biases,
)
from viz.subjects.variants.material import source_ids, target_ids
from viz.subjects.variants.words.facts import report_biases, report_scale, report_tied

SAY = {Tied: report_tied, Scale: report_scale, Biases: report_biases}


def said(found):
    return SAY[type(found)](found).verdict


def test_tying_saves_the_matrices_that_are_shared(material):
    config = material.checkpoints["paper"].model.config
    matrix = config.target_vocab_size * config.d_model
    own = sum(p.numel() for p in material.checkpoints["paper"].model.parameters())
    counts = count_tied(material).counts
    assert counts == {"none": own + 2 * matrix, "decoder": own + matrix, "all": own}
    assert f"{own:,} parameters instead of {own + 2 * matrix:,}" in said(count_tied(material))


def test_nothing_saved_is_said_so():
    assert said(Tied({"none": 5, "decoder": 5, "all": 5})) == "Tying saves nothing here."


def test_scale_is_the_root_mean_square(material):
    scale = compare_scale(material)
    checkpoint = material.checkpoints["paper"]
    rows = checkpoint.model.source_embedding.weight[source_ids(checkpoint, material.text)[0]]
    expected = 8 * np.sqrt((rows.double().numpy() ** 2).mean())
    assert scale.tokens["paper"] == pytest.approx(expected, rel=1e-6)
    assert scale.positions["paper"] == pytest.approx(np.sqrt(0.5), rel=1e-4)
    assert scale.scaled["headlist"] is False
    assert said(scale).startswith("Where embeddings are scaled by √d_model, tokens are ")
    only = {"headlist": material.checkpoints["headlist"]}
    unscaled = compare_scale(replace(material, checkpoints=only))
    assert said(unscaled).startswith("Where embeddings are not scaled")


def test_a_bias_taken_out_is_as_one_set_to_zero(material):
    """Against copies of the model whose biases are set to zero; those of the keys never count."""
    checkpoint = material.checkpoints["paper"]
    model = checkpoint.model
    source = source_ids(checkpoint, material.text)
    target = target_ids(checkpoint, material.pairs[0][1])[:, :-1]
    found = remove_biases(material)
    with torch.inference_mode():
        before = model(source, target).logits
        for name, change in found.changes.items():
            zeros = {
                path: torch.zeros_like(p)
                for path, p in model.named_parameters()
                if path.endswith(f"_attn.{name}.bias")
            }
            after = torch.func.functional_call(model, zeros, (source, target)).logits
            expected = (after - before).abs().max().item()
            assert change == pytest.approx(expected, abs=1e-4)
    assert found.parameters == 6 * 4 * 64
    assert found.changes["key"] < 1e-4
    assert (
        "Without those of key the logits change by rounding errors alone: they add the same"
        in said(found)
    )
    assert "Removing any of the others changes a logit: query by up to " in said(found)


def test_the_verdict_on_biases_follows_the_numbers(material):
    found = remove_biases(material)
    idle = replace(found, changes=dict.fromkeys(found.changes, 0.0))
    assert (
        "Without those of query, key, value and output the logits change by rounding errors alone."
        in said(idle)
    )
    assert "others" not in said(idle)
    assert said(replace(found, parameters=0)) == "This checkpoint has no biases in its attentions."


def test_ratios_are_told_with_the_digits_that_tell_them_apart(material):
    found = compare_scale(material)
    close = replace(
        found,
        scaled={"a": False, "b": False},
        tokens={"a": 1.349, "b": 1.353},
        positions={"a": 1.0, "b": 1.0},
        table={"a": 1.0, "b": 1.0},
    )
    assert "tokens are 1.349 to 1.353 times as large" in said(close)
    same = replace(close, tokens={"a": 1.34901, "b": 1.34902})
    assert "tokens are 1.349 times as large" in said(same)
