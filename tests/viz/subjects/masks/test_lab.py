import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.text.tokenizer import Tokenizer
from tests.checkpoints import BY_HEART, SHIPPED
from tests.tiny import SOURCE, TARGET, boolean, tiny_config, tiny_model
from viz.run.record import KINDS
from viz.subjects.masks.batch import LabBatch, make_batch
from viz.subjects.masks.lab import (
    FILLS,
    HIDES,
    Switches,
    fill_key,
    fill_name,
    run_lab,
    strongest_leak,
    telling_head,
    with_fill,
)

OFF = Switches(encoder_padding=False, causal=False, target_padding=False, cross_padding=False)
ENCODER, DECODER, CROSS = KINDS
WRITTEN = torch.tensor([[5, 6, 5, 7, 2], [6, 5, 2, 0, 0]])


@pytest.fixture(scope="module")
def tiny(checkpoint):
    """The tiny model, and its sentences, whose second is padded on both sides."""
    return replace(checkpoint, model=tiny_model())


@pytest.fixture(scope="module")
def tiny_batch(checkpoint):
    return LabBatch(checkpoint.info.tokenizers, SOURCE, TARGET, WRITTEN, (3, 2), (5, 3))


@pytest.fixture(scope="module")
def batch(checkpoint):
    return make_batch(checkpoint, tuple(BY_HEART))


def test_switches_follow_the_variant():
    assert Switches.of(tiny_config("paper")) == Switches()
    assert Switches.of(tiny_config("addnorm")) == Switches(fill=-1e9)
    assert Switches.of(tiny_config("headlist")) == OFF
    assert Switches.of(tiny_config("tied")) == Switches(encoder_padding=False)


def test_masks_are_those_written_by_hand(tiny, tiny_batch):
    run = run_lab(tiny, tiny_batch, Switches())
    triangle = boolean("10000", "11000", "11100", "11110", "11111")
    full = boolean(*["11111"] * 5)
    wanted = {
        ENCODER: (boolean(*["111"] * 3), boolean(*["110"] * 3)),
        DECODER: (full, boolean(*["11100"] * 5)),
        CROSS: (boolean(*["111"] * 5), boolean(*["110"] * 5)),
    }
    for kind in KINDS:
        assert torch.equal(run.masks[kind].padding, torch.stack(wanted[kind]))
    assert run.masks[ENCODER].causal.all()
    assert run.masks[CROSS].causal.all()
    assert torch.equal(run.masks[DECODER].causal, torch.stack([triangle, triangle]))
    both = boolean("10000", "11000", "11100", "11100", "11100")
    assert torch.equal(run.masks[DECODER].combined, torch.stack([triangle, both]))


@pytest.mark.parametrize("on", [(False, True) * 2, (True, False) * 2, (True,) * 4])
def test_every_layer_ran_with_both_parts_of_the_mask(tiny, tiny_batch, on):
    switches = Switches(**dict(zip(HIDES, on, strict=True)))
    run = run_lab(tiny, tiny_batch, switches)
    encoder_padding, causal, target_padding, cross_padding = on
    opened = {ENCODER: (encoder_padding, True), CROSS: (cross_padding, True)}
    for kind in KINDS:
        masks = run.masks[kind]
        padding, future = opened.get(kind, (target_padding, causal))
        assert (not masks.padding.all()) == padding
        assert (not masks.causal.all()) == (kind == DECODER and future)
        assert torch.equal(masks.combined, masks.padding & masks.causal)
        for layer in range(2 if kind == ENCODER else 3):
            assert torch.equal(run.attention(kind, layer).mask, masks.combined)


@pytest.mark.parametrize("variant", ["paper", "addnorm", "headlist", "tied"])
def test_own_switches_give_what_the_variant_itself_computes(checkpoint, tiny_batch, variant):
    model = tiny_model(variant)
    with torch.inference_mode():
        plain = model(SOURCE, TARGET)
    run = run_lab(replace(checkpoint, model=model), tiny_batch, Switches.of(model.config))
    torch.testing.assert_close(run.trace.logits, plain.logits, atol=0, rtol=0)


def _softmax_rows(run, kind, layer, head, sentence):
    """Weights in float64, written out from queries and keys."""
    attention = run.attention(kind, layer)
    query = attention.query[sentence, head].double().numpy()
    key = attention.key[sentence, head].double().numpy()
    mask = run.masks[kind].combined[sentence].numpy()
    scores = query @ key.T / math.sqrt(query.shape[1])
    filled = np.where(mask, scores, run.switches.fill)
    exponentials = np.exp(filled - filled.max(axis=1, keepdims=True))
    return scores, filled, exponentials / exponentials.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("fill", FILLS)
def test_scores_masked_scores_and_weights_are_equation_1(tiny, tiny_batch, fill):
    run = run_lab(tiny, tiny_batch, Switches(fill=fill))
    for kind in KINDS:
        place = (kind, 1, 2, 1)
        scores, filled, weights = _softmax_rows(run, *place)
        np.testing.assert_allclose(run.scores(*place), scores, atol=1e-5)
        np.testing.assert_allclose(run.masked_scores(*place), filled, atol=1e-5)
        np.testing.assert_allclose(run.weights(*place), weights, atol=1e-5)


@pytest.mark.parametrize(
    "switches", [Switches(), OFF, Switches(causal=False), Switches(fill=0.0)], ids=str
)
def test_leaks_are_the_sums_of_loops_in_float64(tiny, tiny_batch, switches):
    run = run_lab(tiny, tiny_batch, switches)
    layer, rows = 1, {ENCODER: (3, 2), DECODER: (5, 3), CROSS: (5, 3)}
    keys = {ENCODER: (3, 2), DECODER: (5, 3), CROSS: (3, 2)}
    for kind, head, sentence in product(KINDS, range(4), range(2)):
        weights = _softmax_rows(run, kind, layer, head, sentence)[2]
        mask = run.masks[kind].combined[sentence]
        cells = {sort: np.zeros(weights.shape) for sort in ("future", "padding", "hidden")}
        for row, column in np.ndindex(weights.shape):
            real = column < keys[kind][sentence]
            if kind == DECODER and column > row and real:
                cells["future"][row, column] = weights[row, column]
            if not real:
                cells["padding"][row, column] = weights[row, column]
            if not mask[row, column]:
                cells["hidden"][row, column] = weights[row, column]
        for sort, leaked in cells.items():
            leak, place = getattr(run.leaks[kind], sort), (layer, head, sentence)
            of_tokens, of_padding = np.split(leaked, [rows[kind][sentence]])
            sums = [math.fsum(row) for row in of_tokens]
            assert leak.share[place] == pytest.approx(max(sums), abs=1e-6)
            assert leak.row[place] == sums.index(max(sums))
            assert leak.padding_rows[place] == pytest.approx(of_padding.sum(), abs=1e-5)


def test_a_row_without_keys_is_counted_and_its_nan_is_no_leak(tiny, tiny_batch):
    empty = replace(tiny_batch, source=SOURCE * torch.tensor([[1], [0]]), source_lengths=(3, 0))
    infinite, finite = (run_lab(tiny, empty, Switches(fill=fill)).leaks for fill in FILLS[:2])
    assert infinite[ENCODER].masked_rows.tolist() == [0, 3]
    assert infinite[CROSS].masked_rows.tolist() == [0, 5]
    assert infinite[CROSS].undefined_rows[0].tolist() == [[0, 5]] * 4
    assert not infinite[CROSS].padding.share.any()
    assert not finite[CROSS].undefined_rows.any()
    np.testing.assert_allclose(finite[CROSS].hidden.share[..., 1], 1, atol=1e-6)
    assert not finite[CROSS].hidden.share[..., 0].any()


def test_another_fill_shares_every_tensor_and_changes_nothing():
    checkpoint = load_checkpoint(SHIPPED / "english-french-headlist")
    before = {key: value.clone() for key, value in checkpoint.model.state_dict().items()}
    config = checkpoint.model.config
    twin = with_fill(checkpoint, 0.0)
    run_lab(checkpoint, make_batch(checkpoint, ("the cat sleeps .", "the cat .")), OFF)
    mine = {**dict(checkpoint.model.named_parameters()), **dict(checkpoint.model.named_buffers())}
    theirs = {**dict(twin.named_parameters()), **dict(twin.named_buffers())}
    assert mine.keys() == theirs.keys()
    for key, tensor in mine.items():
        assert theirs[key].data_ptr() == tensor.data_ptr()
        assert not tensor.requires_grad
    assert checkpoint.model.config is config
    assert config.mask_fill == checkpoint.model.encoder.layers[0].self_attn.mask_fill == -math.inf
    for key, value in checkpoint.model.state_dict().items():
        assert torch.equal(value, before[key])
    assert {twin.config.mask_fill, twin.encoder.config.mask_fill} == {0.0}
    fills = {module.mask_fill for module in twin.modules() if hasattr(module, "mask_fill")}
    assert fills == {0.0}
    assert not twin.training


def test_the_own_fill_needs_no_other_model(checkpoint):
    assert with_fill(checkpoint, -math.inf) is checkpoint.model
    with pytest.raises(ValueError, match="mask_fill must be a number or -inf, got nan"):
        with_fill(checkpoint, math.nan)


def test_fills_are_named_as_people_write_them():
    fills = (*FILLS, -1e10)
    assert [fill_name(fill) for fill in fills] == ["−∞", "−1e9", "0", "−1e10"]
    assert [fill_key(fill) for fill in fills] == ["-inf", "-1e9", "0", "-1e10"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("switches", [OFF, Switches(fill=0.0)], ids=str)
def test_cells_leak_by_their_ids_whatever_tokens_are_called(
    checkpoint, batch, kind, switches, monkeypatch
):
    """In a real row: padding that has weight, and in the decoder what is later."""
    monkeypatch.setattr(Tokenizer, "tokens", lambda _, ids: ("<pad>",) * len(list(ids)))
    run = run_lab(checkpoint, batch, switches)
    for layer, head, sentence in product(range(2), range(4), range(3)):
        weights = run.weights(kind, layer, head, sentence)
        rows, keys = (ids[sentence].tolist() for ids in (batch.queries(kind), batch.keys(kind)))
        expected = [
            (q, k)
            for q, row in enumerate(rows)
            for k, key in enumerate(keys)
            if row and (not key or (kind == DECODER and k > q)) and weights[q, k] > 0.005
        ]
        assert run.leaking_cells(kind, layer, head, sentence) == expected


@pytest.mark.parametrize("name", HIDES)
def test_the_strongest_leak_is_where_a_row_gives_most(checkpoint, batch, name):
    assert strongest_leak(run_lab(checkpoint, batch, Switches()), name) is None
    run = run_lab(checkpoint, batch, OFF)
    kind, (layer, head, sentence) = strongest_leak(run, name)
    assert kind == HIDES[name][0]
    shares = run.through(name).share
    assert shares[layer, head, sentence] == shares.max() > 0.1
    zero = run_lab(checkpoint, batch, Switches(fill=0.0))
    kind, place = strongest_leak(zero)
    assert zero.leaks[kind].hidden.share[place] == max(
        leaks.hidden.share.max() for leaks in zero.leaks.values()
    )


@pytest.mark.parametrize("sentence", range(3))
def test_the_head_that_tells_most_of_a_sentence_is_one_of_its_own(checkpoint, batch, sentence):
    own, now = (run_lab(checkpoint, batch, Switches(causal=on)) for on in (True, False))
    kind, (layer, head, found) = telling_head(own, now, sentence)
    assert (kind, found) == (DECODER, sentence)
    shares = now.through("causal").share
    assert shares[layer, head, sentence] == shares[..., sentence].max() > 0
    longest = max(range(3), key=batch.source_lengths.__getitem__)
    unpadded = run_lab(checkpoint, batch, Switches(encoder_padding=False))
    assert telling_head(own, unpadded, longest) is None
    assert telling_head(own, unpadded)[1][2] != longest
