"""The data of the map for the browser: enough to draw it, and not much more."""

import json

import numpy as np
from streamlit.testing.v1 import AppTest

from model.traces import named_tensors
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.map.describe import describe
from viz.subjects.map.picture import MOST_COLUMNS, MOST_ROWS, map_payload


def test_of_a_small_run_it_samples_the_logits_alone(run):
    data = map_payload(run, pack_run(run, "key"))
    [(name, sample)] = data["meta"]["samples"].items()
    logits = run.trace.logits[0].numpy()
    rows, columns = min(len(logits), MOST_ROWS), min(logits.shape[1], MOST_COLUMNS)
    assert (name, sample["shape"]) == ("logits", (1, rows, columns))
    assert sample["largest"] == np.abs(logits).max()
    assert len(data["numbers"]) == rows * columns


def test_of_a_large_run_it_samples_what_it_draws(run, monkeypatch):
    monkeypatch.setattr("viz.run.tensor_parcel.MOST_NUMBERS", 100)
    data = map_payload(run, pack_run(run, "key"))
    samples, numbers = data["meta"]["samples"], data["numbers"].column("number").to_numpy()
    assert {*samples} == {block.tensor for block in describe(run).blocks if block.pictured}
    tensors = dict(named_tensors(run.trace))
    for name, sample in samples.items():
        whole = tensors[name].numpy().reshape(tensors[name].shape[-2:])
        _, rows, columns = sample["shape"]
        sent = numbers[sample["at"] :][: rows * columns].reshape(rows, columns)
        steps = [size // kept for size, kept in zip(whole.shape, sent.shape, strict=True)]
        np.testing.assert_array_equal(sent[:2, :2], whole[:: steps[0], :: steps[1]][:2, :2])
        assert sample["largest"] == np.abs(whole).max()


def test_what_is_empty_is_left_out(run):
    meta = map_payload(run, pack_run(run, "key"))["meta"]
    for block, described in zip(meta["blocks"], describe(run).blocks, strict=True):
        assert meta["sentences"][block["sentence"]] == described.sentence
        assert all(value not in (None, "", (), False) or value == 0 for value in block.values())
        assert not any(name.startswith(f"{block['id']}.") for name in block.get("holds", ()))
    assert 0 in [block.get("layer") for block in meta["blocks"]]


def small(view):
    from viz.subjects.map.picture import show_map

    show_map(view, size="small", element_key="map_small")


def test_the_map_of_a_run_is_packed_once(checkpoint, monkeypatch):
    described: list[Run] = []

    def counting(run: Run):
        described.append(run)
        return describe(run)

    monkeypatch.setattr("viz.subjects.map.picture.describe", counting)
    views: list[View] = []
    for key in ("one", "another"):
        run = make_run(checkpoint, "the cat sleeps .")
        inputs = Inputs("tiny", "the cat sleeps .", "", "cpu")
        views.append(View(inputs, run, pack_run(run, key), checkpoint))
    for view in (*views, views[0]):
        page = AppTest.from_function(small, kwargs={"view": view}).run(timeout=60)
        sent = json.loads(page.get("bidi_component")[0].proto.mixed.json)["meta"]
        assert sent["run"] == view.parcel.key
    assert len(described) == 2
