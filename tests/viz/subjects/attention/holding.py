"""Cells that were computed in JavaScript, held against Python's."""

import base64
import re
from typing import Any

import numpy as np
import pytest

from model.checkpoints.checkpoint import Checkpoint
from model.interventions.kinds import Intervention
from viz.run.axes import attention_trace, axis_tokens, layer_count
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.view import View
from viz.subjects.attention import offline
from viz.subjects.attention.cell.explain import explain_cell
from viz.subjects.attention.packing import cell_data


def view_of(checkpoint: Checkpoint, text: str, *changes: Intervention) -> View:
    run = make_run(checkpoint, text, interventions=changes)
    inputs = Inputs("tiny", text, "", "cpu", changes)
    return View(inputs, run, pack_run(run, "key"), checkpoint.model)


def places_of(view: View) -> list[dict[str, Any]]:
    """A cell of every head, and of one of each kind a whole row and a whole column."""
    found = []
    for kind in view.run.anatomy.names:
        for layer in range(layer_count(view.run.info.config, kind)):
            _, heads, rows, columns = attention_trace(view.run, kind, layer).weights.shape
            cells = [(h, rows - 1, min(h, columns - 1)) for h in range(heads)]
            if layer == 0:
                cells += [(0, rows // 2, column) for column in range(columns)]
                cells += [(0, row, 1) for row in range(rows)]
            found += [
                {"kind": kind, "layer": layer, "head": h, "query": q, "key": k} for h, q, k in cells
            ]
    return found


def by_python(view: View, place: dict[str, Any]) -> dict[str, Any]:
    queries, keys = axis_tokens(view.run, place["kind"])
    cell = explain_cell(view.run, offline.parameters_of(view), **place)
    return dict(cell_data(cell, query_tokens=queries, key_tokens=keys))


def hold(
    own: dict[str, Any],
    held: dict[str, Any],
    place: dict[str, Any],
    *,
    unchecked: tuple[int, ...] = (),
    rtol: float = 2e-5,
    atol: float = 2e-6,
) -> None:
    """The same numbers but for their last digits, and the same checks, but for some lines."""
    differences, expected = vector(own.pop("lines")), vector(held.pop("lines"))
    assert differences is not None
    assert expected is not None
    for i, (found, wanted) in enumerate(zip(differences, expected, strict=True)):
        if i not in unchecked and not np.isnan(wanted):
            assert (found <= 1e-4) == (wanted <= 1e-4), (place, i, found, wanted)
    held.pop("turned", None)
    same_order(own, held)
    same(own, held, str(place), rtol=rtol, atol=atol)


def same_order(own: dict[str, Any], held: dict[str, Any]) -> None:
    """Equal numbers may stand in any order: put those of the page in the order of Python's."""
    for part, index, names in (
        ("score", "dimensions", ("q", "k", "products")),
        ("row", "keys", ("scores", "exponentials", "weights")),
    ):
        mine, wanted = own[part][index], held[part][index]
        if mine == wanted or set(mine) != set(wanted):
            continue
        order = [mine.index(each) for each in wanted]
        own[part][index] = wanted
        for name in names:
            values = vector(own[part][name])
            assert values is not None
            own[part][name] = base64.b64encode(values[order].tobytes()).decode()
        if part == "row":
            own[part]["tokens"] = [own[part]["tokens"][i] for i in order]
            own[part]["hidden"] = sorted(own[part]["hidden"], key=wanted.index)


def same(own: Any, held: Any, where: str, *, rtol: float, atol: float) -> None:
    """Equal, but for the last digits of numbers: of texts that are numbers, and of vectors."""
    if isinstance(held, dict):
        for name in held:
            same(own[name], held[name], f"{where}.{name}", rtol=rtol, atol=atol)
    elif isinstance(held, str) and (numbers := vector(held)) is not None:
        scale = np.abs(numbers[np.isfinite(numbers)]).max(initial=1e-3)
        np.testing.assert_allclose(
            vector(own), numbers, rtol=rtol, atol=atol * scale, err_msg=where
        )
    elif isinstance(held, str) and (number := as_number(held)) is not None:
        assert as_number(own) == pytest.approx(number, rel=rtol, abs=atol, nan_ok=True), where
    else:
        assert own == held, where


def vector(text: str) -> np.ndarray | None:
    is_packed = len(text) >= 8 and len(text) % 4 == 0 and re.fullmatch(r"[A-Za-z0-9+/]+=*", text)
    if not is_packed or (data := base64.b64decode(text)) is None or len(data) % 4:
        return None
    return np.frombuffer(data, "<f4")


def as_number(text: str) -> float | None:
    try:
        return float(text.replace("Infinity", "inf"))
    except ValueError:
        return None
