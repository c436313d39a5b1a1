from dataclasses import replace

import pytest
import torch

from model.transformer import Transformer
from viz.subjects.variants.material import source_ids, target_ids
from viz.subjects.variants.order import shuffle
from viz.subjects.variants.words.order import report_order


def said(found):
    return report_order(found).verdict


@pytest.fixture(scope="module")
def order(material):
    return shuffle(material)


def test_without_positions_the_encoder_sees_a_bag_and_the_decoder_an_order(order):
    assert order.own.memory > 1
    assert order.without.memory < 1e-4
    assert order.without.logits < 1e-4
    assert order.without.later_rows > 0.01
    assert order.open.later_rows < 1e-4
    assert "the encoder sees a bag of words" in said(order)
    assert "because the causal mask lets each token see only those before it" in said(order)


def test_zeroed_positions_are_as_those_of_a_model_without_any(order, material):
    checkpoint = material.checkpoints["paper"]
    bare = Transformer(replace(checkpoint.model.config, positions="none"))
    bare.load_state_dict(checkpoint.model.state_dict())
    bare.eval()
    longest = max((target for _, target in material.pairs), key=len)
    source, target = source_ids(checkpoint, material.text), target_ids(checkpoint, longest)[:, :-1]
    swapped = target[:, [0, 2, 1, *range(3, target.size(1))]]
    with torch.inference_mode():
        before, after = bare(source, target).logits, bare(source, swapped).logits
    assert order.without.later_rows == pytest.approx(
        (after - before)[:, 3:].abs().max().item(), rel=1e-3
    )


def test_a_decoder_without_a_causal_mask_knows_no_order(material):
    order = shuffle(material, "headlist")
    assert order.without.later_rows < 1e-3
    assert "Nor does the decoder know of an order without them" in said(order)


def test_the_verdict_follows_the_numbers(order):
    told = replace(order, without=replace(order.without, memory=2.0), open=order.without)
    assert "the encoder still tells the order: its output differs by 2." in said(told)
    assert "keeps an order, with the causal mask or without" in said(told)
