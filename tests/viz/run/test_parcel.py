import json

import numpy as np
import pytest

from model import recompute
from viz.run import parcel as packing
from viz.run.parcel import (
    CODE_MASKED,
    CODE_NAN,
    CODE_ONE,
    axis_titles,
    encode_weights,
    is_whole,
    pack_run,
    reduce_weights,
    run_key,
)
from viz.run.record import KINDS, all_heads, attention_trace, axis_tokens, make_run


def codes_of(parcel, kind):
    stack = parcel.data["meta"]["kinds"][kind]
    size = stack["layers"] * stack["heads"] * stack["drawn"][0] * stack["drawn"][1]
    codes = parcel.data["codes"].column("code").to_numpy()[stack["offset"] :][:size]
    return codes.reshape(stack["layers"], stack["heads"], *stack["drawn"])


def test_a_code_is_the_weight_rounded_to_50_000ths():
    weights = np.array([[0.0, 0.000009, 0.000011, 0.8431, 0.99998, 1.0]], dtype=np.float32)
    codes = encode_weights(weights, np.ones((1, 6), dtype=bool))
    assert codes.tolist() == [[0, 0, 1, 42155, 49999, 50000]]
    assert np.abs(codes / CODE_ONE - weights).max() <= 0.00001


def test_a_masked_zero_is_told_from_a_zero_and_from_a_leak():
    weights = np.array([[0.0, 0.0, 0.5, np.nan]], dtype=np.float32)
    mask = np.array([[True, False, False, False]])
    assert encode_weights(weights, mask).tolist() == [[0, CODE_MASKED, CODE_ONE // 2, CODE_NAN]]


def test_a_reduced_matrix_keeps_the_largest_of_each_part():
    weights = np.arange(60, dtype=np.float32).reshape(1, 6, 10)
    small = reduce_weights(weights, 4)
    assert small.shape == (1, 4, 4)
    rows, columns = ([0, 1, 3, 4, 6], [0, 2, 5, 7, 10])
    for i in range(4):
        for j in range(4):
            part = weights[0, rows[i] : rows[i + 1], columns[j] : columns[j + 1]]
            assert small[0, i, j] == part.max()
    np.testing.assert_array_equal(reduce_weights(weights, 20), weights)


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
    assert meta["probabilities"] == pytest.approx(
        [np.exp(s.log_probability) for s in run.steps], rel=1e-12
    )
    assert meta["axes"]["cross-attention"] == axis_titles("cross-attention", ("English", "French"))
    for kind, stack in meta["kinds"].items():
        axes = ((stack["queries"], stack["rows"]), (stack["keys"], stack["columns"]))
        named = tuple(meta["tokens"][text][first : first + count] for (text, first), count in axes)
        assert named == axis_tokens(run, kind)


def test_a_large_run_is_packed_reduced(checkpoint, monkeypatch):
    monkeypatch.setattr(packing, "MOST_CODES", 24 * 30**2)
    parcel = pack_run(make_run(checkpoint, "cat " * 99), "k")
    meta = parcel.data["meta"]["kinds"]
    assert meta["encoder self-attention"]["drawn"] == [30, 30]
    assert meta["encoder self-attention"]["rows"] == 100
    assert not is_whole(parcel, "encoder self-attention")
    assert parcel.data["codes"].num_rows <= packing.MOST_CODES


def test_every_input_names_another_run():
    keys = {
        run_key("a", 1, "x", "", "cpu"),
        run_key("a", 1, "x", "y", "cpu"),
        run_key("a", 1, "xy"),
    }
    assert len(keys) == 3
    assert run_key("a", 1) == run_key("a", 1)


def test_each_layer_of_a_long_run_is_computed_once_more_to_be_packed(checkpoint, monkeypatch):
    monkeypatch.setattr("model.stream.MOST_KEPT", 0)
    run = make_run(checkpoint, "the cat sleeps .")
    two_layers = 2 * recompute._bytes(run.trace.decoder.layers[0])
    monkeypatch.setattr(recompute, "_workspace", recompute._Workspace(two_layers))
    computed: list[int] = []
    compute = recompute.RecomputedLayers._layer
    monkeypatch.setattr(
        recompute.RecomputedLayers,
        "_layer",
        lambda layers, index: computed.append(index) or compute(layers, index),
    )

    pack_run(run, "key")

    config = checkpoint.info.config
    assert len(computed) == config.n_encoder_layers + config.n_decoder_layers
