"""Tensors in the parcel, compared with the trace and with products in float64."""

import numpy as np
import pytest

from model.traces import named_tensors
from viz.run.axes import KINDS, attention_name
from viz.run.making import make_run
from viz.run.tensor_parcel import pack_head, pack_tensors


def array_of(parcel, name):
    place = parcel.said["arrays"][name]
    flat = parcel.numbers.column("number").to_numpy()
    return flat[place["at"] :][: np.prod(place["shape"])].reshape(place["shape"])


def test_a_small_run_sends_every_tensor_but_those_over_the_vocabulary(run):
    parcel = pack_tensors(run)
    traced = dict(named_tensors(run.trace))
    assert {*traced} - {*parcel.said["arrays"]} == {"logits", "output"}
    for name, tensor in traced.items():
        if name in ("logits", "output"):
            continue
        sent = array_of(parcel, name)
        assert sent.dtype == np.float32
        # One mask shared by all queries is sent once per query.
        expected = np.broadcast_to(tensor.numpy(), (1, *sent.shape))[0]
        assert (sent == expected).all(), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_sends_its_own_part_of_each_tensor(run, checkpoint, kind):
    parcel = pack_head(run, checkpoint.model, kind, 1, 2)
    path = attention_name(kind, 1).removesuffix(".weights")
    traced = dict(named_tensors(run.trace))
    for part in ("query", "key", "value", "weights", "heads"):
        sent = array_of(parcel, f"{path}.{part}[2]")
        assert (sent[0] == traced[f"{path}.{part}"][0, 2].numpy()).all()
    assert (array_of(parcel, f"{path}.output")[0] == traced[f"{path}.output"][0].numpy()).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_can_be_recomputed_from_what_it_sends(run, checkpoint, kind):
    parcel = pack_head(run, checkpoint.model, kind, 0, 1)
    path = attention_name(kind, 0).removesuffix(".weights")

    def exact(name):
        return array_of(parcel, name).astype(np.float64)[0]

    queries, keys = parcel.said["attentions"][path]["reads"]
    for part, read in (("query", queries), ("key", keys), ("value", keys)):
        weight, bias = exact(f"{path}.{part}.weight[1]"), exact(f"{path}.{part}.bias[1]")
        again, sent = exact(read) @ weight.T + bias, exact(f"{path}.{part}[1]")
        terms = np.abs(exact(read)) @ np.abs(weight).T + np.abs(bias)
        assert (np.abs(again - sent) <= (weight.shape[1] + 1) * 2**-24 * terms).all()
    own = exact(f"{path}.heads[1]") @ exact(f"{path}.output.weight[1]").T
    whole = own + exact(f"{path}.others[1]") + exact(f"{path}.output.bias")
    size = np.abs(own) + np.abs(exact(f"{path}.others[1]")) + 1
    assert (np.abs(whole - exact(f"{path}.output")) <= 2 * 64 * 2**-24 * size).all()
    norms = np.linalg.norm(own, axis=1)
    assert np.allclose(exact(f"{path}.norms")[:, 1], norms, rtol=1e-6, atol=0)


def test_a_large_run_sends_no_tensor_before_a_head_is_opened(checkpoint, monkeypatch):
    run = make_run(checkpoint, "the cat sleeps .")
    assert pack_tensors(run) is not None
    monkeypatch.setattr("viz.run.tensor_parcel.MOST_NUMBERS", 100)
    assert pack_tensors(run) is None
