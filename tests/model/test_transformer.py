import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from model.decoder import DecoderCache
from model.edits import Edit, Edits
from model.masks import causal_mask, padding_mask
from model.presets import PRESETS
from model.tensor_names import tensor_names
from model.traces import TransformerTrace, named_tensors
from model.transformer import Transformer
from tests.model.torch_names import torch_transformer
from tests.tiny import PAD, SOURCE, TARGET, boolean, tiny_model

LIKE_TORCH = {
    "post-norm": {},
    "pre-norm with a final norm": {"norm_placement": "pre", "final_norm": True},
}


@pytest.mark.parametrize("overrides", LIKE_TORCH.values(), ids=LIKE_TORCH)
def test_agrees_with_torchs_transformer(overrides: dict):
    ours = tiny_model(**overrides)
    trace = ours(SOURCE, TARGET)
    hidden = torch_transformer(ours, ours.config)(
        trace.source_embedding.output,
        trace.target_embedding.output,
        tgt_mask=~causal_mask(5)[0],  # inverted: True hides the key
        src_key_padding_mask=SOURCE == PAD,
        memory_key_padding_mask=SOURCE == PAD,
        tgt_key_padding_mask=TARGET == PAD,
    )
    assert_close(trace.decoder.output, hidden)
    logits = hidden @ ours.generator.weight.T + ours.generator.bias
    assert_close(trace.logits, logits)


def test_forward_is_encode_then_decode_then_generate(
    variant_model: Transformer, variant_trace: TransformerTrace
):
    _, encoder = variant_model.encode(SOURCE)
    mask = variant_model.source_mask(SOURCE)
    _, decoder = variant_model.decode(TARGET, encoder.output, source_mask=mask)
    logits, output = variant_model.generate(decoder.output)
    assert torch.equal(logits, variant_trace.logits)
    assert torch.equal(output, variant_trace.output)


# What a position can see


def differs(a: Tensor, b: Tensor) -> bool:
    return not torch.allclose(a, b, rtol=0, atol=1e-4)


@pytest.mark.parametrize("variant", PRESETS)
def test_a_later_target_token_shows_in_earlier_logits_only_without_a_causal_mask(variant: str):
    model = tiny_model(variant)
    changed = TARGET.clone()
    changed[0, 3] = 8
    before, after = model(SOURCE, TARGET).logits[0], model(SOURCE, changed).logits[0]
    assert differs(before[3:], after[3:])
    if variant == "headlist":
        assert differs(before[:3], after[:3])
    else:
        assert torch.equal(before[:3], after[:3])


def test_what_stands_under_source_padding_changes_nothing(
    model: Transformer, trace: TransformerTrace
):
    other = SOURCE.clone()
    other[1, 2] = 9
    changed = model(other, TARGET, source_mask=padding_mask(SOURCE, PAD))
    assert differs(changed.source_embedding.output, trace.source_embedding.output)
    assert torch.equal(changed.encoder.output[1, :2], trace.encoder.output[1, :2])
    assert torch.equal(changed.logits, trace.logits)


@pytest.mark.parametrize("variant", PRESETS)
def test_more_padding_shows_only_where_it_is_not_masked(variant: str):
    model = tiny_model(variant)
    padded = torch.cat([SOURCE, torch.full((2, 2), PAD)], dim=1)
    before, after = model(SOURCE, TARGET).logits, model(padded, TARGET).logits
    if variant in ("headlist", "tied"):
        assert differs(before, after)
    else:
        assert_close(before, after)


# Masks that follow from the config

MASKED = boolean("10000", "11000", "11100", "11110", "11111")
MASKED_AND_PADDED = boolean("10000", "11000", "11100", "11100", "11100")
PADDING = boolean("111", "110").unsqueeze(1)
OPEN = boolean("111").unsqueeze(0)


def test_masks_of_the_encoder_the_decoder_and_between():
    target_mask = torch.stack([MASKED, MASKED_AND_PADDED])
    for variant in PRESETS:
        trace = tiny_model(variant)(SOURCE, TARGET)
        encoder_mask, cross_mask = PADDING, PADDING
        expected = target_mask
        if variant == "headlist":
            encoder_mask, cross_mask, expected = OPEN, OPEN, boolean("11111").unsqueeze(0)
        if variant == "tied":
            encoder_mask = OPEN
        for layer in trace.encoder.layers:
            assert torch.equal(layer.self_attn.mask, encoder_mask), variant
        for layer in trace.decoder.layers:
            assert torch.equal(layer.self_attn.mask, expected), variant
            assert torch.equal(layer.cross_attn.mask, cross_mask), variant


def test_padding_is_hidden_without_a_causal_mask_and_can_be_read_with_one():
    assert torch.equal(tiny_model(causal_mask=False).target_mask(TARGET), padding_mask(TARGET, PAD))
    model = tiny_model(target_padding_mask=False)
    assert torch.equal(model.target_mask(TARGET), causal_mask(5))
    assert torch.equal(model.source_mask(SOURCE), padding_mask(SOURCE, PAD))


def test_target_mask_after_a_past_is_the_last_rows_of_the_whole(model: Transformer):
    assert torch.equal(model.target_mask(TARGET[:1, :4], past=3), boolean("1111").unsqueeze(0))
    assert torch.equal(
        model.target_mask(TARGET, past=3),
        torch.stack([boolean("11110", "11111"), boolean("11100", "11100")]),
    )


def test_masks_that_are_given_replace_those_of_the_config(model: Transformer):
    source_mask = boolean("100").unsqueeze(0)
    target_mask = torch.eye(5, dtype=torch.bool).unsqueeze(0)
    trace = model(SOURCE, TARGET, source_mask=source_mask, target_mask=target_mask)
    assert trace.encoder.layers[1].self_attn.mask is source_mask
    assert trace.decoder.layers[2].cross_attn.mask is source_mask
    assert trace.decoder.layers[0].self_attn.mask is target_mask
    assert_close(
        trace.decoder.layers[0].self_attn.weights, torch.eye(5).expand(2, 4, 5, 5), rtol=0, atol=0
    )


@pytest.mark.parametrize("variant", PRESETS)
def test_a_source_of_padding_alone_is_read_where_the_fill_is_finite(variant: str):
    source = torch.full((1, 3), PAD)
    trace = tiny_model(variant)(source, TARGET[:1])
    if variant in ("addnorm", "temperature"):
        assert_close(trace.encoder.layers[1].self_attn.weights, torch.full((1, 4, 3, 3), 1 / 3))
        assert_close(trace.decoder.layers[2].cross_attn.weights, torch.full((1, 4, 5, 3), 1 / 3))
    reads = variant in ("addnorm", "temperature", "headlist")
    assert trace.output.isfinite().all() if reads else trace.output.isnan().all()


# What comes out


def test_output_of_each_variant(variant: str, variant_trace: TransformerTrace):
    logits, output = variant_trace.logits, variant_trace.output
    exponentials = logits.double().exp()
    probabilities = exponentials / exponentials.sum(dim=-1, keepdim=True)
    expected = {
        "paper": logits.double(),
        "addnorm": logits.double(),
        "temperature": logits.double(),
        "prenorm": probabilities.log(),
        "headlist": probabilities,
        "tied": probabilities.log(),
    }[variant]
    assert_close(output.double(), expected, rtol=1e-5, atol=1e-5)


def test_going_on_with_a_cache_gives_the_rows_of_the_full_pass(
    variant: str, variant_model: Transformer, variant_trace: TransformerTrace
):
    """The sentences of the batch have different lengths, so some of the last rows are padding."""
    _, encoder = variant_model.encode(SOURCE)
    mask = variant_model.source_mask(SOURCE)
    _, first = variant_model.decode(TARGET[:, :2], encoder.output, source_mask=mask)
    cache = DecoderCache.of(first)
    embedding, rest = variant_model.decode(TARGET, None, source_mask=mask, cache=cache)
    logits, _ = variant_model.generate(rest.output)
    assert torch.equal(embedding.output, variant_trace.target_embedding.output[:, 2:])
    if variant == "headlist":  # without a causal mask, earlier rows would change
        assert differs(logits, variant_trace.logits[:, 2:])
    else:
        assert_close(logits, variant_trace.logits[:, 2:])


# What a pass leaves behind


@pytest.mark.parametrize("training", [True, False])
def test_no_tensor_that_a_trace_holds_is_changed_afterwards(variant: str, training: bool):
    model = tiny_model(variant).train(training)
    copies: dict[str, Tensor] = {}

    def keep(name: str) -> Edit:
        def copy_as_it_passes(tensor: Tensor) -> Tensor:
            copies[name] = tensor.clone()
            return tensor

        return copy_as_it_passes

    edits = Edits({name: keep(name) for name in tensor_names(model.config)})
    with torch.set_grad_enabled(training):
        trace = model(SOURCE, TARGET, edits=edits)
    assert copies.keys() == dict(named_tensors(trace)).keys()
    for name, tensor in named_tensors(trace):
        assert torch.equal(tensor, copies[name]), name


def test_a_pass_in_inference_mode_leaves_training_possible(variant: str):
    model = tiny_model(variant)
    with torch.inference_mode():
        seen = model(SOURCE, TARGET)
    trace = model(SOURCE, TARGET)
    assert torch.equal(trace.logits, seen.logits)
    trace.logits.sum().backward()
    assert model.generator.weight.grad is not None


def test_a_forward_pass_writes_nothing_on_the_model():
    model = tiny_model()

    def snapshot():
        return {
            name: {key: id(value) for key, value in vars(module).items()}
            for name, module in model.named_modules()
        }

    attributes = snapshot()
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    versions = {name: tensor._version for name, tensor in model.state_dict().items()}
    with torch.inference_mode():
        model(SOURCE, TARGET)
    assert snapshot() == attributes
    assert {name: tensor._version for name, tensor in model.state_dict().items()} == versions
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, state[name])
    for module in model.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
        assert not module._backward_hooks


def test_a_batch_gives_what_its_sentences_give_alone(model: Transformer, trace: TransformerTrace):
    for row in range(2):
        alone = model(SOURCE[row : row + 1], TARGET[row : row + 1])
        assert_close(alone.logits, trace.logits[row : row + 1])


def test_padding_that_is_not_known_by_its_id_is_what_a_mask_hides():
    by_id, by_mask = tiny_model(), tiny_model(padding_by_id=False)
    hidden = padding_mask(SOURCE, PAD)
    seen = causal_mask(TARGET.size(1)) & padding_mask(TARGET, PAD)
    expected = by_id(SOURCE, TARGET).logits
    masked = by_mask(SOURCE, TARGET, source_mask=hidden, target_mask=seen).logits
    assert torch.equal(masked, expected)
    assert by_mask.source_mask(SOURCE).all()
    assert not torch.equal(by_mask(SOURCE, TARGET).logits, expected)
