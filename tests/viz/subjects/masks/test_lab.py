from dataclasses import replace
from itertools import product

import pytest
import torch

from model.anatomy import attention_in
from model.text.tokenizer import Tokenizer
from tests.checkpoints import BY_HEART
from tests.tiny import SOURCE, TARGET, boolean, tiny_config, tiny_model
from viz.run.axes import KINDS
from viz.subjects.masks.batch import LabBatch, make_batch
from viz.subjects.masks.lab import HIDES, Switches, run_lab, telling_cell

OFF = Switches(encoder_padding=False, causal=False, target_padding=False, cross_padding=False)
ENCODER, DECODER, CROSS = KINDS
WRITTEN = torch.tensor([[5, 6, 5, 7, 2], [6, 5, 2, 0, 0]])


@pytest.fixture(scope="module")
def tiny(checkpoint):
    """Return the tiny model with the checkpoint's tokenizers."""
    return replace(checkpoint, model=tiny_model())


@pytest.fixture(scope="module")
def tiny_batch(checkpoint):
    return LabBatch(checkpoint.info.tokenizers, SOURCE, TARGET, WRITTEN, (3, 2), (5, 3))


@pytest.fixture(scope="module")
def batch(checkpoint):
    return make_batch(checkpoint, tuple(BY_HEART))


def test_switches_follow_the_variant():
    assert Switches.of(tiny_config("paper")) == Switches()
    assert Switches.of(tiny_config("addnorm")) == Switches()
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
            assert torch.equal(attention_in(run.trace, kind, layer).mask, masks.combined)


@pytest.mark.parametrize("variant", ["paper", "addnorm", "headlist", "tied"])
def test_own_switches_give_what_the_variant_itself_computes(checkpoint, tiny_batch, variant):
    model = tiny_model(variant)
    with torch.inference_mode():
        plain = model(SOURCE, TARGET)
    run = run_lab(replace(checkpoint, model=model), tiny_batch, Switches.of(model.config))
    torch.testing.assert_close(run.trace.logits, plain.logits, atol=0, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_cells_leak_by_their_ids_whatever_tokens_are_called(checkpoint, batch, kind, monkeypatch):
    """A real row leaks to padding that has weight and, in the decoder, to later tokens."""
    monkeypatch.setattr(Tokenizer, "tokens", lambda _, ids: ("<pad>",) * len(list(ids)))
    run = run_lab(checkpoint, batch, OFF)
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


@pytest.mark.parametrize("sentence", range(3))
def test_the_telling_cell_is_of_long_words_and_of_no_head_without_a_leak(
    checkpoint, batch, sentence
):
    own, now = (run_lab(checkpoint, batch, Switches(causal=on)) for on in (True, False))
    found = telling_cell(own, now, sentence)
    assert (found.kind, found.sentence) == (DECODER, sentence)
    rows, keys = batch.labels(DECODER, sentence)
    moved = {
        (layer, head, row, key): float(now.weights(DECODER, layer, head, sentence)[row, key])
        for layer, head, row in product(range(2), range(4), range(batch.target_lengths[sentence]))
        for key in range(row + 1, batch.target_lengths[sentence])
        if all(len(token) > 3 and token[0].isalpha() for token in (rows[row], keys[key]))
    }
    assert (found.layer, found.head, found.row, found.key) == max(moved, key=moved.get)
    longest = max(range(3), key=batch.source_lengths.__getitem__)
    unpadded = run_lab(checkpoint, batch, Switches(encoder_padding=False))
    assert telling_cell(own, unpadded, longest) is None
    assert telling_cell(own, unpadded).sentence != longest
    assert telling_cell(own, own) is None


def test_padding_is_what_follows_a_text_where_its_id_does_not_tell_it(checkpoint):
    batch = LabBatch(
        checkpoint.info.tokenizers, SOURCE, TARGET, WRITTEN, (3, 2), (5, 3), padding_by_id=False
    )
    assert batch.real_keys(ENCODER).tolist() == [[True] * 3, [True, True, False]]
    assert batch.real_keys(DECODER).tolist() == [[True] * 5, [True] * 3 + [False] * 2]
