"""Large models for the browser: written in parts once for all sessions, and offered."""

import hashlib
import json
import tempfile
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from model.transformer import Transformer
from viz.models.browser_weights import Bits, write_parts
from viz.models.weights import ABOUT, File, Offer, address_of, keep, state_of, withdraw
from viz.run.inputs import Stamp
from viz.run.wire import WireModel

_MOST_WRITTEN = 2
"""Models whose parts are on disk at a time."""


class _Written(NamedTuple):
    """A model in parts, in a folder that goes with it."""

    key: str
    offer: Offer
    folder: tempfile.TemporaryDirectory[str]


_written: OrderedDict[tuple[Stamp, Bits], _Written] = OrderedDict()
_writing = Lock()


def offer_in_parts(
    found: Stamp, model: Transformer, about: Mapping[str, object], bits: Bits = 8
) -> WireModel:
    """Offer the weights of any model, which are written once for all sessions, in parts.

    `about` has what the JSON of a checkpoint says. Raises BrowserModelError if the browser cannot
    hold the model.
    """
    with _writing:
        if (found, bits) not in _written:
            _written[found, bits] = _write(model, about, bits)
        _written.move_to_end((found, bits))
        key, offer, _ = _written[found, bits]
        keep(key, offer)
        if len(_written) > _MOST_WRITTEN:
            _, old = _written.popitem(last=False)
            withdraw(old.key, old.offer)
            old.folder.cleanup()
    return {"key": key, "address": address_of(key), "in_parts": True}


def _write(model: Transformer, about: Mapping[str, object], bits: Bits) -> _Written:
    folder = tempfile.TemporaryDirectory(prefix="loupe-weights-")
    stem = Path(folder.name) / "model"
    try:
        parts = write_parts(model, stem, bits)
        described = json.dumps({**about, "parts": parts}).encode()
        json_path = stem.with_name(f"{stem.name}.{ABOUT}")
        json_path.write_bytes(described)
    except BaseException:
        folder.cleanup()
        raise
    key = hashlib.sha256(described).hexdigest()
    files = {
        f".{i}": File(stem.with_name(f"{stem.name}.{i}"), part["sha256"])
        for i, part in enumerate(parts)
    }
    files[f".{ABOUT}"] = File(json_path, key)
    return _Written(key, Offer(files, state_of(files)), folder)
