"""What the map sends to the browser: enough to draw it, and not much."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from viz.run.record import Run
from viz.subjects.map.describe import describe
from viz.subjects.map.picture import map_payload
from viz.subjects.map.thumbnails import pictures


def size(payload) -> int:
    return len(json.dumps(payload["meta"]).encode()) + payload["codes"].nbytes


def test_the_pictures_are_found_again_by_their_offsets(run):
    payload = map_payload(run, "key")
    codes = payload["codes"].column("code").to_numpy()
    names = [block.tensor for block in describe(run).blocks if block.pictured]
    drawn = pictures(run, names)
    assert set(payload["meta"]["pictures"]) == set(names)
    for name, place in payload["meta"]["pictures"].items():
        end = place["offset"] + place["rows"] * place["columns"]
        found = codes[place["offset"] : end].reshape(place["rows"], place["columns"])
        np.testing.assert_array_equal(found, drawn[name].codes)
        assert place["largest"] == pytest.approx(drawn[name].largest, rel=1e-3)


def test_what_is_empty_is_left_out(run):
    meta = map_payload(run, "key")["meta"]
    for block, described in zip(meta["blocks"], describe(run).blocks, strict=True):
        assert meta["sentences"][block["sentence"]] == described.sentence
        assert all(value not in (None, "", (), False) or value == 0 for value in block.values())
        assert not any(name.startswith(f"{block['id']}.") for name in block.get("holds", ()))
    assert 0 in [block.get("layer") for block in meta["blocks"]]


def small(run, key):
    from viz.subjects.map.picture import show_map

    show_map(run, key, size="small", element_key="map_small")


def test_the_map_of_a_run_is_packed_once(run, monkeypatch):
    described: list[Run] = []

    def counting(run: Run):
        described.append(run)
        return describe(run)

    monkeypatch.setattr("viz.subjects.map.picture.describe", counting)
    for key in ("one", "one", "another"):
        page = AppTest.from_function(small, kwargs={"run": run, "key": key}).run(timeout=60)
        assert json.loads(page.get("bidi_component")[0].proto.mixed.json)["meta"]["run"] == key
    assert len(described) == 2
