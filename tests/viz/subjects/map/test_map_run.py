"""The map that the browser makes of a run, compared with the run's tensors in float64."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT, ONE_TEXT, SHIPPED, VARIANTS
from tests.node import told_by
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.run.tensors import run_tensors
from viz.subjects.map.picture import MOST_COLUMNS, MOST_ROWS, map_payload

SCRIPT = Path(__file__).with_name("map_run.js")
TEXTS = ("the cat sleeps .", f"{DEFAULT[:-2]} and the dog sees the cat .", "the gnu")
"""Texts that differ from that of Python's map: shorter, longer than the drawn rows, unknown."""
ZERO = Intervention("zero", "encoder.layers.0.self_attn.heads", 1)
COOLER = Intervention("scale", "logits", amount=0.5)
TWIN = 1e-4
"""The allowed difference from PyTorch, relative to a tensor's largest number."""


def map_of(run: Run, typed: dict[str, Any] | None = None) -> dict[str, Any]:
    parcel = pack_run(run, "key")
    drawn = map_payload(run, parcel)
    tables = {"codes": parcel.data["codes"], "numbers": parcel.data.get("numbers")}
    tables["sampled"] = drawn.get("numbers")
    lists = {name: table and table.column(0).to_pylist() for name, table in tables.items()}
    lists["sampled"] = lists["sampled"] or []
    return told_by(
        SCRIPT, {"run": parcel.said["meta"], "map": drawn["meta"], **lists, "typed": typed}
    )


def hold(found: dict[str, Any], run: Run, twin: float = 0.0) -> None:
    tensors = {name: tensor.double().numpy() for name, tensor in run_tensors(run)}
    inputs = {"encoder": run.texts["source"], "decoder": run.texts["target"][:-1]}
    assert found["tokens"] == {stack: [*tokens] for stack, tokens in inputs.items()}
    for block in found["blocks"]:
        values = tensors[block["tensor"]]
        shape = values.shape[1:] if values.ndim > 2 else values.shape
        if block["role"] == "tokens":
            count = len(inputs[block["stack"]])
            assert block["shape"] == str(count)
            assert f", {count} token" in block["label"]
        else:
            assert block["shape"] == " × ".join(map(str, shape)), block["id"]
    for stack, width in found["widths"].items():
        rows, columns = tensors[f"{stack}.output"].shape[1:]
        assert width == f"{rows} × {columns}"
    for name, picture in found["pictures"].items():
        hold_picture(picture, tensors[name], twin)


def hold_picture(picture: dict[str, Any], tensor: np.ndarray, twin: float) -> None:
    """Compare codes to half a step, and the largest number to its four digits."""
    values = tensor.reshape(tensor.shape[-2:])
    spaced = [
        np.floor(np.arange(min(size, most)) * size / min(size, most)).astype(int)
        for size, most in zip(values.shape, (MOST_ROWS, MOST_COLUMNS), strict=True)
    ]
    kept, largest = values[np.ix_(*spaced)], np.abs(values).max()
    assert (picture["rows"], picture["columns"]) == kept.shape
    assert picture["largest"] == pytest.approx(largest, rel=5e-4 + twin)
    codes = np.reshape(picture["codes"], kept.shape)
    np.testing.assert_allclose(codes * largest / 127, kept, atol=(0.5001 / 127 + twin) * largest)


@pytest.mark.parametrize("fixture", ["run", "unmasked_run"])
@pytest.mark.parametrize("is_small", [True, False])
def test_it_draws_the_tensors_that_were_sent_or_sampled(request, monkeypatch, fixture, is_small):
    if not is_small:
        monkeypatch.setattr("viz.run.tensor_parcel.MOST_NUMBERS", 100)
    run = request.getfixturevalue(fixture)
    found = map_of(run)
    assert "logits" in found["pictures"]
    hold(found, run)


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-bert", "tiny-alibi"])
def test_it_draws_models_of_one_text(one_text_checkpoints, name):
    run = make_run(load_checkpoint(one_text_checkpoints / name), ONE_TEXT)
    hold(map_of(run), run)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (VARIANTS["paper"], ()),
        (VARIANTS["paper"], (ZERO, COOLER)),
        (VARIANTS["prenorm"], ()),
        (VARIANTS["headlist"], (COOLER,)),
    ],
)
def test_it_draws_what_the_browsers_own_model_made_of_a_typed_text(name, changes):
    checkpoint = load_checkpoint(SHIPPED / name)
    ran = make_run(checkpoint, DEFAULT)
    for text in TEXTS:
        typed = {
            "checkpoint": str(SHIPPED / name),
            "text": text,
            "interventions": [asdict(change) for change in changes],
        }
        hold(map_of(ran, typed), make_run(checkpoint, text, interventions=changes), TWIN)
