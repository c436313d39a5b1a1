"""Open a page without the rest of the app, and read what a page or the whole app shows."""

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from tests.checkpoints import DEFAULT

APP = str(Path(__file__).parents[1] / "viz" / "script.py")


def open_app(**query: str) -> AppTest:
    """Open the whole app at a link."""
    app = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    return ok(app.run())


def show(name, inputs):  # AppTest runs only this function's body: no annotations, imports inside
    from contextlib import nullcontext
    from importlib import import_module

    from tests.sham import SHAM, sham_device
    from viz.address import address
    from viz.models import running
    from viz.run.inputs import Inputs

    import_module("viz.address.language")  # as the app does: pages use the session's language
    address.follow()
    with sham_device() if inputs[-1] == SHAM else nullcontext():
        import_module(f"viz.subjects.{name}.page").render(running.open_view(Inputs(*inputs)))
    address.end_run()


def open_page(
    name: str,
    checkpoint: str = "everyday-paper",
    source: str = DEFAULT,
    target: str = "",
    device: str = "cpu",
    **query: str | list[str],
) -> AppTest:
    inputs = (checkpoint, source, target, device)
    page = AppTest.from_function(show, kwargs={"name": name, "inputs": inputs}, default_timeout=60)
    for key, value in query.items():
        page.query_params[key] = value
    return ok(page.run())


def ok(page: AppTest) -> AppTest:
    assert not page.exception
    return page


def texts(page: AppTest) -> str:
    bodies = [element.proto.body for element in page.get("html")]
    return " ".join(body for body in bodies if "<style>" not in body)


def figures(page: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]


def numbers(values: list[float] | dict[str, str]) -> list[float]:
    """Read the numbers of a trace, which Plotly may encode as bytes in base64."""
    if isinstance(values, dict):
        return np.frombuffer(b64decode(values["bdata"]), np.dtype(values["dtype"])).tolist()
    return values


def sent(page: AppTest, component: str) -> list[dict]:
    """Return the JSON that each picture of one kind receives."""
    return [json.loads(proto.mixed.json or proto.json) for proto in _given(page, component)]


def sent_values(page: AppTest, component: str) -> list[np.ndarray]:
    """Return the numbers of the only table that each picture of one kind receives."""
    blobs = [proto.mixed.arrow_blobs for proto in _given(page, component)]
    readers = [pa.ipc.open_stream(blob.data) for each in blobs for blob in each.values()]
    return [reader.read_all().column(0).to_numpy() for reader in readers]


def _given(page: AppTest, component: str) -> list[Any]:
    found = [c.proto for c in page.get("bidi_component")]
    return [proto for proto in found if proto.component_name == f"loupe_{component}"]


def panels(page: AppTest) -> list[dict]:
    """List the maps that are drawn side by side, in their order."""
    return [panel for data in sent(page, "panels") for panel in data["meta"]["panels"]]
