import math
from dataclasses import replace

import pytest
import torch

from model.presets import PRESETS
from model.transformer import Transformer
from tests.tiny import SOURCE, TARGET, randn, shaken, tiny_config, tiny_model
from texts import say_of
from viz.subjects.variants.choices import conversion_title, conversions
from viz.subjects.variants.convert import NotTheSameError, convert, measure_conversion
from viz.subjects.variants.words.conversion import say_conversion

EXACT = [
    ("paper", {"output": "log_softmax"}),
    ("headlist", {"output": "logits"}),
    ("prenorm", {"output": "softmax"}),
    ("paper", {"tying": "none"}),
    ("paper", {"tying": "decoder"}),
    ("tied", {"tying": "none", "scale_embeddings": False}),
    ("temperature", {"scale_embeddings": True}),
    ("addnorm", {"scale_embeddings": False}),
    ("temperature", {"attention_bias": True}),
    ("addnorm", {"mask_fill": -math.inf}),
    ("paper", {"mask_fill": -1e9}),
    ("addnorm", {"positions": "learned"}),
    ("headlist", {"positions": "learned", "output": "log_softmax"}),
    ("paper", {"dropout": 0.5, "dropout_at": (), "max_length": 99}),
]
UP_TO_EPS = [
    ("paper", {"norm": "unbiased_std"}),
    ("addnorm", {"norm": "layer"}),
    ("prenorm", {"norm": "layer", "norm_eps": 1e-5}),
    ("paper", {"norm_eps": 1e-6}),
]


def _log_probabilities(model, source=SOURCE, target=TARGET):
    with torch.inference_mode():
        trace = model(source, target)
    output = trace.output
    if model.config.output == "softmax":
        return output.log()
    return output.log_softmax(dim=-1)  # changes nothing of what is log-softmax already


@pytest.mark.parametrize(("variant", "changes"), EXACT)
def test_the_same_mathematics_gives_equal_outputs(variant, changes):
    model = tiny_model(variant)
    converted = convert(model, replace(model.config, **changes))
    assert converted.config == replace(model.config, **changes)
    assert not converted.training
    torch.testing.assert_close(
        _log_probabilities(converted), _log_probabilities(model), atol=2e-5, rtol=0
    )


@pytest.mark.parametrize(("variant", "changes"), UP_TO_EPS)
def test_norms_are_equal_up_to_eps(variant, changes):
    model = tiny_model(variant)
    converted = convert(model, replace(model.config, **changes))
    torch.testing.assert_close(
        _log_probabilities(converted), _log_probabilities(model), atol=1e-3, rtol=0
    )


def test_the_factor_is_folded_into_every_norm():
    """With almost no eps, nothing but rounding is left, in float64."""
    model = tiny_model("prenorm", norm_eps=1e-15).double()
    converted = convert(model, replace(model.config, norm="layer")).double()
    before, after = _log_probabilities(model), _log_probabilities(converted)
    torch.testing.assert_close(after, before, atol=2e-6, rtol=0)  # weights go through float32
    ratio = converted.encoder.norm.weight / model.encoder.norm.weight
    torch.testing.assert_close(ratio, torch.full((16,), math.sqrt(15 / 16), dtype=torch.float64))


def test_biases_of_zero_are_dropped_and_those_of_the_keys_whatever_they_are():
    model = tiny_model("addnorm")
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "_attn." in name and name.endswith(".bias") and ".key." not in name:
                parameter.zero_()
    converted = convert(model, replace(model.config, attention_bias=False))
    torch.testing.assert_close(
        _log_probabilities(converted), _log_probabilities(model), atol=2e-5, rtol=0
    )


def test_equal_matrices_are_tied():
    model = shaken(Transformer(tiny_config("addnorm")))
    with torch.no_grad():
        for embedding in (model.source_embedding, model.target_embedding):
            embedding.weight.copy_(model.generator.weight)
    converted = convert(model, replace(model.config, tying="all"))
    assert converted.source_embedding.weight is converted.generator.weight
    torch.testing.assert_close(_log_probabilities(converted), _log_probabilities(model))


@pytest.mark.parametrize(
    ("variant", "changes", "reason"),
    [
        ("paper", {"norm_placement": "pre"}, "norm_placement: a norm inside the residual"),
        ("paper", {"final_norm": True}, "final_norm: one norm more or less"),
        ("paper", {"causal_mask": False}, "causal_mask: it decides which positions are read"),
        ("paper", {"encoder_padding_mask": False}, "whether padding is read"),
        ("paper", {"positions": "none"}, "positions: other numbers are added"),
        ("paper", {"attention_bias": False}, "attention_bias: its biases are not zero, up to 0"),
        ("addnorm", {"tying": "all"}, "source_embedding and target_embedding and the generator"),
        ("paper", {"scale_embeddings": False}, "also the generator's, which is not scaled"),
        ("paper", {"mask_fill": 0.0}, "a hidden key filled with 0 keeps some weight"),
        ("paper", {"n_heads": 2}, "n_heads: the weights have other shapes"),
        ("addnorm", {"target_vocab_size": 12}, "rows for other tokens"),
    ],
)
def test_other_mathematics_is_refused_with_the_reason(variant, changes, reason):
    model = tiny_model(variant)
    with pytest.raises(NotTheSameError, match=reason):
        convert(model, replace(model.config, **changes))


def test_all_reasons_are_given_and_an_impossible_config_is_one():
    model = tiny_model()
    with pytest.raises(NotTheSameError) as refused:
        measure_conversion(model, {"final_norm": True, "causal_mask": False}, SOURCE, TARGET)
    assert refused.value.reasons.keys() == {"final_norm", "causal_mask"}
    with pytest.raises(NotTheSameError, match="config: tying all embeddings needs one vocabulary"):
        measure_conversion(model, {"source_vocab_size": 12}, SOURCE, TARGET)


def test_neither_the_model_nor_the_random_numbers_change():
    model = tiny_model("addnorm")
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    convert(model, replace(model.config, norm="layer", scale_embeddings=False))
    assert torch.equal(torch.rand(2), expected)
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name])


def test_the_measured_difference_is_that_of_the_outputs():
    model = tiny_model()
    found = measure_conversion(model, {"norm": "unbiased_std", "output": "softmax"}, SOURCE, TARGET)
    converted = convert(model, replace(model.config, norm="unbiased_std", output="softmax"))
    with torch.inference_mode():
        a, b = model(SOURCE, TARGET), converted(SOURCE, TARGET)
    assert found.logit_difference == (a.logits - b.logits).abs().max().item()
    both = (t.logits.double().log_softmax(dim=-1) for t in (a, b))
    expected = torch.stack(list(both)).diff(dim=0).abs().max().item()
    assert found.log_probability_difference == pytest.approx(expected, abs=2e-6)
    assert found.output_difference == pytest.approx(
        (a.logits.softmax(dim=-1) - b.output).abs().max().item(), abs=1e-7
    )
    assert set(found.fields) == {"norm", "output"}
    assert say_conversion(found).startswith("The same up to eps")


@pytest.mark.parametrize("variant", PRESETS)
def test_every_choice_changes_something_and_is_the_same_or_refused(variant):
    model = tiny_model(variant)
    offered = conversions(model.config)
    assert f"variant {variant}" not in offered
    assert {f"variant {name}" for name in PRESETS if name != variant} <= offered.keys()
    assert len({conversion_title(name) for name in offered}) == len(offered)
    source = torch.cat([SOURCE, SOURCE.flip(0)])[:2]
    for changes in offered.values():
        assert replace(tiny_config(variant), **changes) != model.config
        try:
            found = measure_conversion(model, changes, source, TARGET)
        except NotTheSameError:
            continue
        else:
            assert "Not the same" not in say_conversion(found)
            assert all(say_of("variants.step", field) for field in found.fields)


def test_learned_positions_are_not_a_formula():
    model = shaken(Transformer(tiny_config(positions="learned", max_length=8)))
    with torch.no_grad():
        model.source_embedding.learned.weight.copy_(randn(8, 16))
    with pytest.raises(NotTheSameError, match="other numbers are added"):
        convert(model, replace(model.config, positions="sinusoidal"))
    with pytest.raises(NotTheSameError, match="learned for so many places"):
        convert(model, replace(model.config, max_length=16))
