import copy
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from types import MappingProxyType

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from model.edits import (
    NO_EDITS,
    Bypass,
    Edit,
    Edits,
    PositionedEdit,
    ablate,
    replace,
    scale,
)
from model.interventions.changes import OnHead
from model.masks import causal_mask, padding_mask
from model.tensor_names import tensor_names
from model.traces import TransformerTrace, named_tensors
from model.transformer import Transformer
from tests.tiny import PAD, SOURCE, TARGET, randn, tiny_config, tiny_model

ALL_NAMES = tensor_names(tiny_config())
HEAD_2 = "decoder.layers.1.cross_attn.heads[2]"


def run(model: Transformer, edits: dict[str, Edit]) -> TransformerTrace:
    with torch.inference_mode():
        return model(SOURCE, TARGET, edits=Edits(edits))


def changed(tensor: Tensor) -> Tensor:
    """Move every number by another amount; in a mask, flip the last key for each query."""
    if tensor.dtype == torch.bool:
        last = torch.arange(tensor.size(-1)) == tensor.size(-1) - 1
        return tensor ^ last
    return tensor + torch.linspace(-1, 1, tensor.numel()).reshape(tensor.shape)


def same(found: Tensor, expected: Tensor) -> bool:
    """Compare bit for bit; a mask with one row for all queries is expanded."""
    return torch.equal(found, expected.expand_as(found))


# Every name


def test_an_edit_is_seen_under_its_name_and_by_all_that_follows_in_every_variant(
    variant: str, variant_model: Transformer, variant_trace: TransformerTrace
):
    before = dict(named_tensors(variant_trace))
    step = 1 if variant == "paper" else 4  # each name once, and every fourth in the other variants
    for at, name in list(enumerate(ALL_NAMES))[::step]:
        after = dict(named_tensors(run(variant_model, {name: changed})))
        assert same(after[name], changed(before[name])), name
        assert not torch.allclose(after["output"], before["output"], rtol=0, atol=1e-6), name
        for earlier in ALL_NAMES[:at]:
            assert torch.equal(after[earlier], before[earlier]), (name, earlier)


def test_edits_that_change_nothing_leave_every_bit(
    variant_model: Transformer, variant_trace: TransformerTrace
):
    names = tensor_names(variant_model.config)
    after = run(variant_model, dict.fromkeys(names, torch.clone))
    for (name, now), (_, before) in zip(
        named_tensors(after), named_tensors(variant_trace), strict=True
    ):
        assert same(now, before), name


def test_an_edit_of_a_head_leaves_the_others(model: Transformer, trace: TransformerTrace):
    for kind in ("query", "key", "value", "scores", "weights", "heads"):
        name = f"encoder.layers.1.self_attn.{kind}"
        before = dict(named_tensors(trace))[name]
        after = dict(named_tensors(run(model, {f"{name}[1]": changed})))[name]
        assert torch.equal(after[:, 1], changed(before[:, 1])), kind
        assert torch.equal(after[:, [0, 2, 3]], before[:, [0, 2, 3]]), kind


def test_edits_of_several_heads_add_up_to_one_of_all(model: Transformer):
    name = "decoder.layers.1.self_attn.weights"
    by_head = run(model, {f"{name}[{head}]": ablate for head in range(4)})
    assert torch.equal(by_head.output, run(model, {name: ablate}).output)


def test_edits_of_one_tensor_follow_each_other_as_given(model: Transformer):
    name = "encoder.layers.0.self_attn.heads"
    after = run(model, {name: torch.ones_like, f"{name}[3]": scale(5.0)})
    assert (after.encoder.layers[0].self_attn.heads[:, :3] == 1).all()
    assert (after.encoder.layers[0].self_attn.heads[:, 3] == 5).all()


# What an edit does, computed in another way


def silence_unit_7(hidden: Tensor) -> Tensor:
    return hidden * (torch.arange(32) != 7)


@pytest.mark.parametrize(
    ("name", "edit", "parameters", "lost"),
    [  # d_v is 4
        (HEAD_2, ablate, ("cross_attn.output.weight",), (slice(None), slice(8, 12))),
        (
            "decoder.layers.1.self_attn.value[1]",
            ablate,
            ("self_attn.value.weight", "self_attn.value.bias"),
            slice(4, 8),
        ),
        (
            "decoder.layers.1.feed_forward.hidden",
            silence_unit_7,
            ("feed_forward.contract.weight",),
            (slice(None), 7),
        ),
    ],
    ids=["a head", "values", "a hidden unit"],
)
def test_what_is_ablated_is_as_if_no_parameter_read_or_wrote_it(
    model: Transformer, name: str, edit: Edit, parameters: tuple[str, ...], lost
):
    lesioned = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in parameters:
            lesioned.decoder.layers[1].get_parameter(parameter)[lost] = 0
    assert_close(run(model, {name: edit}).logits, lesioned(SOURCE, TARGET).logits)


def test_weights_that_are_replaced_mix_the_values_anew(model: Transformer, trace: TransformerTrace):
    alike = torch.full((2, 4, 5, 3), 1 / 3)
    after = run(model, {"decoder.layers.0.cross_attn.weights": replace(alike)})
    attention, before = after.decoder.layers[0].cross_attn, trace.decoder.layers[0].cross_attn
    mean = before.value.mean(dim=2)
    assert_close(attention.heads, mean.unsqueeze(2).expand(2, 4, 5, 4))
    projection = model.decoder.layers[0].cross_attn.output
    joined = mean.flatten(1)
    expected = joined @ projection.weight.T + projection.bias
    assert_close(attention.output, expected.unsqueeze(1).expand(2, 5, 16))


def test_scores_that_are_edited_give_their_softmax(model: Transformer, trace: TransformerTrace):
    def draw_to_first_key(scores: Tensor) -> Tensor:
        return scores + torch.tensor([2.0, 0.0, 0.0])

    name = "encoder.layers.1.self_attn"
    after = run(model, {f"{name}.scores": draw_to_first_key}).encoder.layers[1].self_attn
    before = trace.encoder.layers[1].self_attn
    assert_close(after.scores, before.scores + torch.tensor([2.0, 0.0, 0.0]))
    odds = before.weights * torch.tensor([2.0, 0.0, 0.0]).exp()
    assert_close(after.weights, odds / odds.sum(dim=-1, keepdim=True))


def test_queries_and_keys_that_are_edited_show_in_the_scores(
    model: Transformer, trace: TransformerTrace
):
    name = "encoder.layers.1.self_attn"
    before = trace.encoder.layers[1].self_attn
    for part in ("query", "key"):
        after = run(model, {f"{name}.{part}[3]": scale(2.0)}).encoder.layers[1].self_attn
        assert_close(after.scores[:, 3], before.scores[:, 3] * 2)
        assert_close(after.scores[:, :3], before.scores[:, :3])


def test_masks_that_are_replaced_are_those_that_are_used(model: Transformer):
    """Without the causal part in each layer, the mask equals one that is given from outside."""
    padding = padding_mask(TARGET, PAD).expand(2, 5, 5)
    names = [f"decoder.layers.{i}.self_attn.mask" for i in range(3)]
    after = run(model, dict.fromkeys(names, replace(padding)))
    expected = model(SOURCE, TARGET, target_mask=padding)
    assert torch.equal(after.logits, expected.logits)
    assert (after.decoder.layers[0].self_attn.weights[0] > 0).all()


def test_a_mask_may_be_edited_for_one_query_of_one_sentence(
    model: Transformer, trace: TransformerTrace
):
    def hide_key_0_from_query_1_of_sentence_0(mask: Tensor) -> Tensor:
        mask = mask.clone()
        mask[0, 1, 0] = False
        return mask

    name = "encoder.layers.0.self_attn"
    after = run(model, {f"{name}.mask": hide_key_0_from_query_1_of_sentence_0})
    weights, before = after.encoder.layers[0].self_attn.weights, trace.encoder.layers[0].self_attn
    expected = before.weights.clone()
    expected[0, :, 1, 0] = 0
    expected[0, :, 1] /= expected[0, :, 1].sum(dim=-1, keepdim=True)
    assert_close(weights, expected)


def test_positions_that_are_scaled_are_added_less(model: Transformer, trace: TransformerTrace):
    after = run(model, {"source_embedding.positions": scale(0.25)})
    embedded = trace.source_embedding.tokens + trace.source_embedding.positions / 4
    assert_close(after.source_embedding.output, embedded)
    memory = model.encoder(embedded, padding_mask(SOURCE, PAD)).output
    assert_close(after.encoder.output, memory)


def test_a_hidden_state_that_is_patched_goes_on_from_there(
    model: Transformer, trace: TransformerTrace
):
    patch = randn(2, 3, 16)
    after = run(model, {"encoder.layers.0.output": replace(patch)})
    source_mask = padding_mask(SOURCE, PAD)
    target_mask = causal_mask(5) & padding_mask(TARGET, PAD)
    with torch.inference_mode():
        memory = model.encoder.layers[1](patch, source_mask).output
        target = trace.target_embedding.output
        logits = model.generator(model.decoder(target, memory, target_mask, source_mask).output)
    assert torch.equal(after.encoder.layers[1].input, patch)
    assert_close(after.encoder.output, memory)
    assert_close(after.logits, logits)


def test_a_residual_stream_that_is_patched_half_way_through_a_layer(
    model: Transformer, trace: TransformerTrace
):
    patch = randn(2, 5, 16)
    after = run(model, {"decoder.layers.2.after_cross_attn": replace(patch)})
    layer = model.decoder.layers[2]
    hidden = (patch @ layer.feed_forward.expand.weight.T + layer.feed_forward.expand.bias).relu()
    assert_close(after.decoder.layers[2].feed_forward.hidden, hidden)
    assert_close(
        after.decoder.output, layer.feed_forward_norm(patch + layer.feed_forward(patch).output)
    )
    before = trace.decoder.layers[2]
    assert torch.equal(after.decoder.layers[2].after_self_attn, before.after_self_attn)


def test_logits_that_are_ablated_leave_every_token_as_likely():
    after = run(tiny_model("tied"), {"logits": ablate})
    assert_close(after.output, torch.full((2, 5, 11), 1 / 11).log())


def test_the_output_alone_may_be_edited(model: Transformer, trace: TransformerTrace):
    after = run(model, {"output": ablate})
    assert (after.output == 0).all()
    assert torch.equal(after.logits, trace.logits)


# Errors


def test_an_unknown_name_is_told_the_nearest(model: Transformer):
    message = (
        "no tensor is called 'decoder.layers.1.cross_attn.wieghts'; "
        "nearest: decoder.layers.1.cross_attn.weights, "
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        run(model, {"decoder.layers.1.cross_attn.wieghts": ablate})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("encoder.layers.2.output", "no tensor is called 'encoder.layers.2.output'; nearest: "),
        ("encoder.layers.0.self_attn.weights[-1]", "no tensor is called"),
        ("", "no tensor is called ''"),
        (HEAD_2.replace("2", "4"), "cross_attn.heads has heads 0 to 3, got "),
        ("encoder.output[0]", "encoder.output has no heads to choose from, got"),
    ],
)
def test_what_this_model_lacks_is_refused(name: str, message: str, model: Transformer):
    with pytest.raises(ValueError, match=re.escape(message)):
        run(model, {name: ablate})


def test_an_edit_must_keep_the_shape(model: Transformer):
    message = (
        "an edit must keep the shape: encoder.layers.1.self_attn.weights is (2, 4, 3, 3), "
        "the edit returned (2, 4, 3)"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        run(model, {"encoder.layers.1.self_attn.weights": lambda weights: weights.sum(dim=-1)})


def test_an_edit_that_changes_in_place_and_gives_nothing_is_told(model: Transformer):
    message = f"leave its input unchanged: the edit of {HEAD_2} returned"
    with pytest.raises(TypeError, match=re.escape(message)):
        run(model, {HEAD_2: lambda _: None})
    for name in (HEAD_2, "encoder.layers.0.output"):  # inference mode counts no changes
        changed_it = pytest.raises(TypeError, match=re.escape(f"the edit of {name} changed it"))
        with changed_it, torch.no_grad():
            model(SOURCE, TARGET, edits=Edits({name: lambda x: x.zero_()}))


# Edits are values


def test_a_change_of_the_callers_dictionary_comes_too_late():
    mine: dict[str, Edit] = {"logits": ablate}
    edits = Edits(mine)
    mine["output"] = scale(0.0)
    assert list(edits.by_name) == ["logits"]
    assert isinstance(edits.by_name, MappingProxyType)


def test_what_replaces_is_brought_to_the_dtype_in_use(model: Transformer):
    patch = randn(2, 3, 16, dtype=torch.float64)
    after = run(model, {"encoder.output": replace(patch)})
    assert after.encoder.output.dtype == torch.float32
    assert_close(after.encoder.output, patch.float())


def test_edits_follow_each_other_and_what_is_skipped_has_none():
    tensor, layer = torch.ones(2), "encoder.layers.0.output"
    both = Edits({layer: scale(3.0)}).then(Edits({layer: ablate, "logits": ablate}))
    assert both.apply(layer, tensor).tolist() == [0, 0]
    assert both.touches("logits")
    assert both.then(Edits({layer: scale(2.0)})).apply(layer, tensor).tolist() == [0, 0]
    skipped = both.then(Edits({layer: Bypass()}))
    assert skipped.apply(layer, tensor, bypass=2 * tensor).tolist() == [2, 2]
    again = skipped.then(Edits({layer: scale(5.0)}))
    assert again.apply(layer, tensor, bypass=2 * tensor).tolist() == [5, 5]
    assert tensor.tolist() == [1, 1]


class _Counted(PositionedEdit):
    """An edit that adds one, and counts how often it is asked and placed."""

    def __init__(self) -> None:
        self.asked = self.placed = 0

    @property
    def needs_all_rows(self) -> bool:
        self.asked += 1
        return False

    def of_pass(self, start: int) -> Edit:
        self.placed += 1
        return lambda value: value + 1 + start


@pytest.mark.parametrize("count", [1, 2, 24, 400])
def test_the_work_for_several_edits_of_one_tensor_grows_with_their_number(count: int):
    made = [_Counted() for _ in range(count)]
    name = "encoder.layers.0.output"
    edits = reduce(Edits.then, (Edits({name: OnHead(0, edit)}) for edit in made), NO_EDITS)
    assert not edits.need_all_rows
    assert edits.apply(name, torch.zeros(1, 2, 3)).sum(-1).tolist() == [[3 * count, 0]]
    assert {edit.asked for edit in made} == {1}
    assert {edit.placed for edit in made} == {1}


# Threads over one model


@pytest.fixture
def eager_threads():
    """Make threads take turns far more often than usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.slow
@pytest.mark.usefixtures("eager_threads")
def test_threads_over_one_model_never_mix(model: Transformer):
    names = ("encoder.layers.1.self_attn.weights[0]", HEAD_2, "logits", "encoder.output")
    edits = [Edits({name: edit}) for name in names for edit in (ablate, scale(0.5))]
    jobs = [
        (torch.tensor([[3 + i, 4, 3 + i]]), torch.tensor([[1, 10 - i, 5]]), edits[i])
        for i in range(8)
    ]

    def work(job: tuple[Tensor, Tensor, Edits]) -> TransformerTrace:
        source, target, edits = job
        with torch.inference_mode():
            return model(source, target, edits=edits)

    alone = [work(job) for job in jobs]
    with ThreadPoolExecutor(len(jobs)) as pool:
        together = list(pool.map(work, jobs * 12))
    for i, trace in enumerate(together):
        for (name, found), (_, expected) in zip(
            named_tensors(trace), named_tensors(alone[i % len(jobs)]), strict=True
        ):
            assert torch.equal(found, expected), name


def test_an_edit_may_make_a_masked_score_infinite(model: Transformer):
    name = "decoder.layers.0.self_attn"
    later = torch.ones(5, 5, dtype=torch.bool).triu(diagonal=1)
    edited = run(model, {f"{name}.scores": lambda scores: scores.masked_fill(later, torch.inf)})
    found, expected = edited.decoder.layers[0].self_attn, run(model, {}).decoder.layers[0].self_attn
    assert found.scores.isinf().any()
    assert_close(found.weights, expected.weights, rtol=0, atol=1e-6)
