import math
import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from model.decoding.greedy import greedy
from model.interventions.base import INTERVENTIONS
from model.interventions.kinds import Intervention, edits_of
from model.tensor_names import tensor_names
from model.traces import TransformerTrace, find_tensor, named_tensors
from model.transformer import Transformer
from tests.tiny import SOURCE, TARGET, tiny_config, tiny_model
from texts import speaking

ONE = SOURCE[:1]
CROSS = "decoder.layers.1.cross_attn.weights"
SELF = "encoder.layers.0.self_attn.weights"
NEVER = 99

CHANGES = {
    "zero a head": Intervention("zero", "decoder.layers.0.self_attn.heads", head=2),
    "zero a row of a state": Intervention("zero", "decoder.layers.1.output", rows=(2,)),
    "mean": Intervention("mean", "decoder.layers.0.self_attn.output"),
    "scale scores": Intervention("scale", "decoder.layers.*.cross_attn.scores", amount=3.0),
    "scale columns": Intervention("scale", CROSS, rows=(1,), columns=(0, 2), amount=0.5),
    "set keys": Intervention("set", "decoder.layers.0.self_attn.key", rows=(1,), amount=0.3),
    "point": Intervention("point", CROSS, rows=(1, 3), columns=(2,), amount=0.7),
    "point all": Intervention("point", "decoder.layers.*.self_attn.weights", columns=(0,)),
    "point at what is written later": Intervention(
        "point", "decoder.layers.0.self_attn.weights", columns=(2,), amount=0.8
    ),
    "a later row of another head": Intervention(
        "patch",
        "decoder.layers.1.self_attn.weights",
        head=1,
        rows=(1, 2),
        origin_rows=(3, 0),
        origin_head=0,
    ),
    "paint": Intervention("paint", CROSS, head=1, rows=(2,), values=(1.0, 0.0, 3.0)),
    "cut": Intervention("cut", "decoder.layers.*.cross_attn.weights", columns=(1,)),
    "cut all that a row may read": Intervention(
        "cut", "decoder.layers.0.self_attn.weights", rows=(0,), columns=(0,)
    ),
    "skip": Intervention("skip", "decoder.layers.1.output"),
    "reverse": Intervention("reverse", "target_embedding.positions", rows=(0, 1, 2, 3)),
    "shuffle": Intervention("shuffle", "target_embedding.positions", rows=(0, 2, 4), amount=1.0),
    "fill": Intervention("fill", "decoder.layers.*.self_attn.scores", amount=-1.0),
    "open the mask": Intervention("set", "decoder.layers.*.self_attn.mask"),
    "hide from rows": Intervention(
        "set", "decoder.layers.0.cross_attn.mask", rows=(1,), columns=(0,), amount=0.0
    ),
}


def run(model: Transformer, *changes: Intervention, material=None) -> TransformerTrace:
    with torch.inference_mode():
        return model(ONE, TARGET[:1], edits=edits_of(changes, model, material))


def after(model: Transformer, change: Intervention, name: str) -> Tensor:
    return find_tensor(run(model, change), name)


def material_from(trace: TransformerTrace) -> Callable[[Intervention, str], Tensor]:
    """Return a function that takes a tensor from a pass, or the mean of its rows."""

    def material(change: Intervention, name: str) -> Tensor:
        found = find_tensor(trace, name)
        return found.mean(dim=(0, -2)) if change.kind == "mean" else found

    return material


def check_decoding(model: Transformer, changes: list[Intervention]) -> None:
    """Compare each step of decoding with one pass over the tokens written so far."""
    with torch.inference_mode():
        own = model(ONE, TARGET[:1])
        edits = edits_of(changes, model, material_from(own))
        assert not torch.allclose(model(ONE, TARGET[:1], edits=edits).logits, own.logits, atol=1e-5)
        for use_cache in (True, False):
            steps = list(
                greedy(model, ONE, max_length=4, eos_id=NEVER, edits=edits, use_cache=use_cache)
            )
            written = [1, *(step.token for step in steps)]
            for step in steps:
                seen = torch.tensor([written[: step.index + 1]])
                whole = model(ONE, seen, edits=edits).logits[0, -1]
                assert_close(step.logits, whole, atol=1e-4, rtol=1e-4)


def test_every_kind_is_among_the_changes_that_are_decoded_in_steps_and_at_once():
    assert {change.kind for change in CHANGES.values()} == INTERVENTIONS.keys()


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_acts_at_each_step_as_in_one_pass(model: Transformer, name: str):
    check_decoding(model, [CHANGES[name]])


def test_changes_act_together_in_every_variant(variant_model: Transformer):
    for needs_all_rows in (False, True):
        changes = [
            change
            for change in CHANGES.values()
            if edits_of((change,), variant_model, lambda *_: ONE).need_all_rows == needs_all_rows
        ]
        check_decoding(variant_model, changes)


def moved(weights: Tensor) -> Tensor:
    expected = weights.clone()
    expected[:, :, 1] = 0.25 * weights[:, :, 1]
    expected[:, :, 1, 2] += 0.75
    return expected


def painted(weights: Tensor) -> Tensor:
    expected = weights.clone()
    expected[:, 3, 2] = torch.tensor([0.25, 0.0, 0.75])
    return expected


def without(weights: Tensor) -> Tensor:
    expected = weights.double()
    expected[:, 1, 0, 2] = 0
    return expected / expected.sum(dim=-1, keepdim=True)


BY_HAND: dict[str, tuple[Intervention, Callable[[Tensor], Tensor]]] = {
    "point": (Intervention("point", CROSS, rows=(1,), columns=(2,), amount=0.75), moved),
    "paint": (Intervention("paint", CROSS, head=3, rows=(2,), values=(1.0, 0.0, 3.0)), painted),
    "cut": (Intervention("cut", CROSS, head=1, rows=(0,), columns=(2,)), without),
    "nothing there": (Intervention("point", CROSS, rows=(9,), columns=(2,)), Tensor.clone),
    "even": (
        Intervention("scale", f"{CROSS.removesuffix('weights')}scores", amount=0.0),
        lambda weights: torch.full_like(weights, 1 / 3),
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_weights_become_what_they_are_by_hand(model: Transformer, name: str):
    change, by_hand = BY_HAND[name]
    expected = by_hand(find_tensor(run(model), CROSS))
    assert_close(after(model, change, CROSS), expected.float(), atol=2e-5, rtol=0)


def test_a_row_with_every_key_cut_reads_nothing(model: Transformer):
    cut = Intervention("cut", SELF, rows=(1,), columns=(0, 1, 2))
    trace = run(model, cut)
    assert torch.equal(find_tensor(trace, SELF)[:, :, 1], torch.zeros(1, 4, 3))
    assert all(
        tensor.isfinite().all() for name, tensor in named_tensors(trace) if "scores" not in name
    )


def test_a_fill_is_that_of_a_model_built_with_it(model: Transformer):
    filled = Transformer(replace(model.config, mask_fill=-1.5)).eval()
    filled.load_state_dict(model.state_dict())
    for module in filled.encoder.modules():
        assert getattr(module, "mask_fill", -1.5) == -1.5
    found = run(model, Intervention("fill", "decoder.layers.*.self_attn.scores", amount=-1.5))
    assert_close(found.logits, run(filled).logits)


def test_no_fill_is_the_run_as_it_was(model: Transformer):
    fill = Intervention("fill", "decoder.layers.*.self_attn.scores", amount=-math.inf)
    assert_close(run(model, fill).logits, run(model).logits)


def test_a_skipped_layer_is_a_model_without_it(model: Transformer):
    config = replace(model.config, n_decoder_layers=2)
    shorter = Transformer(config).eval()
    shorter.load_state_dict(
        {k: v for k, v in model.state_dict().items() if not k.startswith("decoder.layers.2.")}
    )
    skip = Intervention("skip", "decoder.layers.2.output")
    assert_close(run(model, skip).logits, run(shorter).logits)
    of_its_output = Intervention("scale", skip.name, amount=2.0)
    assert_close(run(model, skip, of_its_output).logits, run(shorter).logits)


def test_later_changes_see_what_the_earlier_left(model: Transformer):
    half = Intervention("point", CROSS, rows=(1,), columns=(0,), amount=0.5)
    rest = replace(half, columns=(2,))
    weights = find_tensor(run(model), CROSS)[:, :, 1]
    expected = 0.25 * weights
    expected[..., 0] += 0.25
    expected[..., 2] += 0.5
    assert_close(find_tensor(run(model, half, rest), CROSS)[:, :, 1], expected)


def test_an_average_takes_the_place_of_each_row(model: Transformer):
    means = torch.arange(16.0).view(4, 4)
    name = "encoder.layers.1.self_attn.heads"
    change = Intervention("mean", name, head=2)
    found = find_tensor(run(model, change, material=lambda *_: means), name)
    assert torch.equal(found[0, 2], means[2].expand(3, 4))
    assert torch.equal(found[0, 1], find_tensor(run(model), name)[0, 1])
    whole = find_tensor(run(model, replace(change, head=None), material=lambda *_: means), name)
    assert torch.equal(whole[0], means[:, None].expand(4, 3, 4))


def other_run(model: Transformer) -> Callable[[Intervention, str], Tensor]:
    with torch.inference_mode():
        trace = model(torch.tensor([[4, 4, 3]]), TARGET[:1])
    return lambda _, name: find_tensor(trace, name)


def test_all_rows_of_a_stage_from_another_run_give_its_output(model: Transformer):
    material = other_run(model)
    patch = Intervention("patch", "encoder.output", origin="other")
    found = run(model, patch, material=material)
    assert_close(found.logits, material(patch, "logits"))
    assert not torch.allclose(found.logits, run(model).logits, atol=1e-4)


def test_a_patch_of_a_run_into_itself_changes_nothing(model: Transformer):
    own = run(model)
    for change in (
        Intervention("patch", CROSS, rows=(1,)),
        Intervention("patch", "decoder.layers.0.cross_attn.heads", head=1),
    ):
        found = run(model, change, material=lambda _, name: find_tensor(own, name))
        assert torch.equal(found.logits, own.logits)


def test_a_row_of_another_head_is_put_in_place(model: Transformer):
    own = run(model)
    change = Intervention("patch", CROSS, head=0, rows=(2,), origin_head=3, origin_rows=(1,))
    found = find_tensor(run(model, change, material=lambda _, n: find_tensor(own, n)), CROSS)
    assert torch.equal(found[0, 0, 2], find_tensor(own, CROSS)[0, 3, 1])
    assert torch.equal(found[0, 1:], find_tensor(own, CROSS)[0, 1:])


def test_weights_of_a_longer_run_are_divided_by_the_sum_of_those_whose_key_is_there(
    model: Transformer,
):
    longer = torch.tensor([0.2, 0.2, 0.1, 0.5]).expand(1, 4, 5, 4)
    change = Intervention("patch", CROSS, rows=(0,))
    found = find_tensor(run(model, change, material=lambda *_: longer), CROSS)
    assert_close(found[0, :, 0], torch.tensor([0.4, 0.4, 0.2]).expand(4, 3))


def test_positions_in_reverse_are_those_of_the_last_first(model: Transformer):
    name = "source_embedding.positions"
    change = Intervention("reverse", name, rows=(0, 1, 2))
    assert torch.equal(after(model, change, name), find_tensor(run(model), name).flip(0))


WRONG = [
    ("does not act", {"kind": "cut", "name": "logits", "columns": (1,)}),
    ("does not act", {"kind": "scale", "name": "decoder.layers.0.self_attn.mask"}),
    ("does not act", {"kind": "reverse", "name": CROSS, "rows": (1, 2)}),
    ("does not act", {"kind": "mean", "name": CROSS}),
    ("does not act", {"kind": "fill", "name": SELF}),
    ("does not act", {"kind": "skip", "name": CROSS}),
    ("does not act", {"kind": "zero", "name": ""}),
    ("no kind of change is called “burn”", {"kind": "burn", "name": CROSS}),
    ("needs columns", {"kind": "point", "name": CROSS}),
    ("needs rows", {"kind": "shuffle", "name": "source_embedding.positions"}),
    ("between 0 and 1; got 1.5", {"kind": "point", "name": CROSS, "columns": (1,), "amount": 1.5}),
    ("got nan", {"kind": "scale", "name": CROSS, "amount": math.nan}),
    ("between −1,000,000,000 and", {"kind": "set", "name": CROSS, "amount": math.inf}),
    ("rows must be at least 0", {"kind": "zero", "name": CROSS, "rows": (-1,)}),
    ("below 1024", {"kind": "zero", "name": CROSS, "rows": (5000,)}),
    ("count from 0", {"kind": "zero", "name": CROSS, "head": -1}),
    ("no heads", {"kind": "zero", "name": "encoder.output", "head": 1}),
    ("values must be at least 0", {"kind": "paint", "name": CROSS, "values": (1.0, -1.0)}),
    ("may hold at most 1024 numbers", {"kind": "paint", "name": CROSS, "values": (1.0,) * 5000}),
    ("one value other than 0", {"kind": "paint", "name": CROSS, "values": (0.0,)}),
    ("a row for each", {"kind": "patch", "name": CROSS, "rows": (1, 2), "origin_rows": (1,)}),
]


@pytest.mark.parametrize(("rule", "fields"), WRONG)
def test_what_does_not_fit_together_is_refused(rule: str, fields: dict):
    with pytest.raises(ValueError, match=rule):
        Intervention(**fields)


def test_an_object_of_a_kind_can_be_copied_and_changed_but_to_another_kind():
    change = CHANGES["paint"]
    again = pickle.loads(pickle.dumps(change))
    assert again == change == replace(again) != replace(again, head=2)
    assert type(again) is type(change) is not Intervention
    with pytest.raises(ValueError, match="called “cut”"):
        replace(change, kind="cut")


def test_heads_of_keys_are_fewer_if_queries_share_them():
    config = tiny_config(n_kv_heads=2)
    asked = [
        Intervention("zero", f"decoder.layers.0.self_attn.{part}", head=2)
        for part in ("key", "value", "query")
    ]
    for change in asked[:2]:
        with pytest.raises(ValueError, match="heads are numbered 0 to 1; got 2"):
            change.names(config)
    assert asked[2].names(config)


def test_a_change_takes_the_place_of_another_of_the_same_numbers():
    scores = "decoder.layers.*.self_attn.scores"
    one, other = replace(CHANGES["point"], columns=(0,)), CHANGES["point"]
    assert one.place == other.place == replace(CHANGES["paint"], head=None, rows=(1, 3)).place
    assert Intervention("fill", scores).place != Intervention("scale", scores).place
    cut, zero, *others = (
        Intervention(kind, CROSS, columns=(0,)) for kind in ("cut", "zero", "scale", "set")
    )
    assert cut.place != zero.place == others[0].place == others[1].place
    for one in (cut, zero):
        assert one.place == replace(one, amount=2.0).place != replace(one, columns=(1,)).place


@pytest.mark.parametrize(
    "change",
    [
        Intervention("zero", "decoder.layers.7.output"),
        Intervention("zero", "nothing"),
        Intervention("zero", "encoder.layers.0.self_attn.heads", head=4),
        Intervention("mean", "encoder.layers.0.self_attn.heads"),
        Intervention("patch", "encoder.output"),
    ],
)
def test_what_a_model_lacks_is_refused(model: Transformer, change: Intervention):
    with pytest.raises(ValueError, match=r"\w"):
        edits_of((change,), model)


def test_a_star_means_every_layer():
    model = tiny_model()
    change = Intervention("zero", "decoder.layers.*.output")
    assert change.names(tiny_config()) == tuple(f"decoder.layers.{i}.output" for i in range(3))
    assert set(edits_of((change,), model).by_name) == set(change.names(tiny_config()))


SAID = {
    Intervention("zero", "encoder.layers.0.self_attn.heads", head=3): (
        "encoder self-attention, layer 0, head 3 off",
        "auto-attention de l’encodeur, couche 0, tête 3 désactivée",
    ),
    Intervention(
        "point", "decoder.layers.*.cross_attn.weights", rows=(1,), columns=(1,), amount=0.7
    ): (
        "“chat” → “cat”: 70% of the weight (cross-attention, all layers)",
        "« chat » → « cat » : 70 % du poids (attention croisée, toutes les couches)",
    ),
    Intervention("scale", "encoder.layers.*.self_attn.scores", amount=0.5): (
        "encoder self-attention, all layers, scores × 0.5",
        "auto-attention de l’encodeur, toutes les couches, scores × 0,5",
    ),
    Intervention("skip", "decoder.layers.1.output"): (
        "decoder layer 1 skipped",
        "couche 1 du décodeur sautée",
    ),
    Intervention("fill", "decoder.layers.*.self_attn.scores", amount=-math.inf): (
        "masked scores are −∞ (decoder self-attention, all layers, scores)",
        "les scores masqués valent −∞ (auto-attention du décodeur, toutes les couches, scores)",
    ),
    Intervention("set", "decoder.layers.0.cross_attn.mask", columns=(1,), amount=0.0): (
        "cross-attention, layer 0, mask: everything is hidden, at “cat”",
        "attention croisée, couche 0, masque : tout est masqué, à « cat »",
    ),
}


@pytest.mark.parametrize(("change", "said"), SAID.items())
def test_changes_are_said_in_words(change: Intervention, said: tuple[str, str]):
    for language, text in zip(("en", "fr"), said, strict=True):
        with speaking(language):
            found = change.text(("the", "cat"), ("<s>", "le", "chat"))
        assert found.replace("\u00a0", " ") == text


def test_every_tensor_has_a_name_for_people():
    configs = (tiny_config(), tiny_config(positions="alibi"), tiny_config(norm_placement="pre"))
    names = {name for config in configs for name in tensor_names(config)}
    assert "encoder.layers.0.self_attn.bias" in names
    assert not [name for name in names if "." in Intervention("set", name, amount=0.0).text()]


@pytest.mark.parametrize("name", ["a.b", "encoder.layers.0.cross_attn.heads", "x.layers.0.y.z.w"])
def test_a_name_that_no_model_has_is_given_as_it_is(name: str):
    assert Intervention("zero", name).text().startswith(name.replace(".", " "))
