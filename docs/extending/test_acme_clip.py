"""The intervention changes the tensor that it names, and none before it."""

import pytest
import torch

import loupe
from loupe.plugins import Intervention, edits_of

HEADS = "encoder.layers.0.self_attn.heads"
TEXT = "the cat sleeps ."


def test_it_clips_one_head() -> None:
    model = loupe.load("everyday-paper-0")
    clip = Intervention("acme-clip", HEADS, head=1, amount=0.1)
    before = loupe.trace(model, TEXT)
    after = loupe.trace(model, TEXT, edits=edits_of((clip,), model.model).by_name)
    expected = before[HEADS].clone()
    expected[:, 1] = expected[:, 1].clamp(-0.1, 0.1)
    assert not torch.equal(expected, before[HEADS])
    assert torch.equal(after[HEADS], expected)


def test_it_is_described() -> None:
    clip = Intervention("acme-clip", HEADS, head=1, amount=0.1)
    assert clip.text() == "encoder self-attention, layer 0, head 1 clipped to ±0.1"


def test_an_amount_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="an amount must be between 0"):
        Intervention("acme-clip", HEADS, amount=-1.0)
