import torch

from model.interventions.kinds import Intervention, edits_of
from model.probing import anatomy_of
from tests.tiny import SOURCE, TARGET, tiny_model
from viz.subjects.attention.page import head_off, heads_off


def test_a_head_that_is_off_gives_nothing():
    model = tiny_model()
    off = head_off("cross-attention", 1, 2)
    with torch.inference_mode():
        trace = model(SOURCE, TARGET, edits=edits_of((off,), model))
    heads = trace.decoder.layers[1].cross_attn.heads
    assert not heads[:, 2].any()
    assert heads[:, [0, 1, 3]].any()


def test_heads_that_are_off_are_listed():
    made = (
        head_off("encoder self-attention", 0, 3),
        head_off("decoder self-attention", 2, 1),
        Intervention("mean", "decoder.layers.0.cross_attn.heads", head=1),
        Intervention("zero", "encoder.layers.1.self_attn.heads", head=0, rows=(1,)),
        Intervention("scale", "encoder.layers.1.self_attn.heads", head=2, amount=2.0),
    )
    assert heads_off(anatomy_of(tiny_model()), made) == [
        ("encoder self-attention", 0, 3),
        ("decoder self-attention", 2, 1),
        ("cross-attention", 0, 1),
    ]
