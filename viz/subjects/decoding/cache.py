"""Paths of the Decoding page, decoded and packed once for each choice."""

from typing import Any

from viz.run.view import View, per_view
from viz.subjects.decoding.lens import read_lens
from viz.subjects.decoding.packing import pack_lens, pack_path
from viz.subjects.decoding.paths import DecodedPath, decode_path
from viz.subjects.decoding.reading import Reading, played_steps, read_path
from viz.subjects.decoding.strategy import Branch, Strategy
from viz.subjects.decoding.wire import WireLens


@per_view
def find_path(view: View, strategy: Strategy, branch: Branch) -> DecodedPath:
    """Decode a path once. Raises ValueError if a fork does not fit the path before it."""
    return decode_path(view.run, view.model, strategy, branch)


@per_view
def path_parcel(view: View, strategy: Strategy, branch: Branch, key: str) -> dict[str, Any]:
    """Pack the numbers of a path for the browser."""
    path, reading = _reading(view, strategy, branch)
    return pack_path(view.run, path, reading, strategy, key)


@per_view
def lens_parcel(view: View, strategy: Strategy, branch: Branch, key: str) -> WireLens:
    """Pack the logit lens of a path for the browser: the prediction of each depth."""
    path, reading = _reading(view, strategy, branch)
    written = path.ids[: reading.states.size(1)]
    return pack_lens(view.run, read_lens(view.model, reading.states, written), written, key)


@per_view
def _reading(view: View, strategy: Strategy, branch: Branch) -> tuple[DecodedPath, Reading]:
    path = find_path(view, strategy, branch)
    count = played_steps(view.run.info.config, path, len(view.run.texts["source"]))
    return path, read_path(view.run, view.model, path, count)
