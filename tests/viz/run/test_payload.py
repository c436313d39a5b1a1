import json

import numpy as np
import pytest

from model.recompute import RecomputedLayers
from viz.run.axes import KINDS, all_heads, attention_trace, axis_tokens
from viz.run.codes import CODE_MASKED, CODE_ONE
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.sending import is_whole
from viz.run.titles import axis_titles


def codes_of(parcel, kind):
    stack = parcel.data["meta"]["kinds"][kind]
    size = stack["layers"] * stack["heads"] * stack["drawn"][0] * stack["drawn"][1]
    codes = parcel.data["codes"].column("code").to_numpy()[stack["offset"] :][:size]
    return codes.reshape(stack["layers"], stack["heads"], *stack["drawn"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_parcel_holds_every_weight_of_a_run(run, kind):
    parcel = pack_run(run, "k")
    codes = codes_of(parcel, kind)
    weights = all_heads(run, kind)
    assert codes.shape == weights.shape
    hidden = np.broadcast_to(~attention_trace(run, kind, 0).mask[0].numpy(), weights.shape)
    assert ((codes == CODE_MASKED) == hidden).all()
    assert np.abs(codes[~hidden] / CODE_ONE - weights[~hidden]).max() <= 0.00001 + 1e-7
    assert is_whole(parcel, kind)


def test_a_parcel_says_what_everything_is(run):
    meta = pack_run(run, "k").said["meta"]
    json.dumps(meta)
    assert meta["tokens"] == {"source": run.source.tokens, "target": run.target_tokens}
    assert meta["kinds"]["cross-attention"]["name"] == "decoder.layers.{layer}.cross_attn.weights"
    assert meta["axes"]["cross-attention"] == axis_titles("cross-attention", ("English", "French"))
    for kind, stack in meta["kinds"].items():
        axes = ((stack["queries"], stack["rows"]), (stack["keys"], stack["columns"]))
        named = tuple(meta["tokens"][text][first : first + count] for (text, first), count in axes)
        assert named == axis_tokens(run, kind)


def test_no_layer_of_a_long_run_is_computed_again_to_be_packed(checkpoint, monkeypatch):
    whole = pack_run(make_run(checkpoint, "the cat sleeps ."), "key")
    monkeypatch.setattr("model.memory.stream.MOST_KEPT", 0)
    run = make_run(checkpoint, "the cat sleeps .")
    monkeypatch.delattr(RecomputedLayers, "_layer")
    streamed = pack_run(run, "key")
    assert isinstance(run.trace.encoder.layers, RecomputedLayers)
    told = streamed.data["meta"]["told"]  # its logits are summed in another order
    assert streamed.data["meta"] == {**whole.data["meta"], "tensors": None, "told": told}
    assert streamed.data["codes"].equals(whole.data["codes"])
