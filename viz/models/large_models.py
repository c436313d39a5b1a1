"""Large models for the browser: offered at once, but written in parts only on request."""

import hashlib
import json
import secrets
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from model.checkpoints.errors import CheckpointError
from model.transformer import Transformer
from viz.models.browser_weights import Bits, BrowserModelError, write_parts
from viz.models.weights import ABOUT, File, Offer, address_of, keep, promise, state_of, withdraw
from viz.run.inputs import Stamp
from viz.run.wire import WireModel

Opener = Callable[[], tuple[Transformer, Mapping[str, object]]]
"""Returns a model, and what its JSON says besides the parts."""

_MOST_WRITTEN = 2
"""Most models whose parts are on disk at the same time."""
_MOST_NAMED = 64


class _Written(NamedTuple):
    """A model in parts; its folder is deleted with it."""

    offer: Offer
    folder: tempfile.TemporaryDirectory[str]


_keys: OrderedDict[tuple[Stamp, Bits], str] = OrderedDict()
_written: OrderedDict[str, _Written] = OrderedDict()
_naming, _writing = Lock(), Lock()


def offer_in_parts(found: Stamp, open_it: Opener, bits: Bits = 8) -> WireModel:
    """Offer the weights of any model in parts, which are written once for all sessions.

    Writing takes seconds, so it waits until a browser asks for a file. If the browser cannot have
    the model, `open_it` or the writing raises BrowserModelError, and the JSON gives the reason.
    """
    with _naming:
        key = _keys.setdefault((found, bits), secrets.token_hex(32))
        _keys.move_to_end((found, bits))
        if len(_keys) > _MOST_NAMED:
            _keys.popitem(last=False)
    promise(key, partial(_offer, key, open_it, bits))
    return {"key": key, "address": address_of(key), "in_parts": True}


def _offer(key: str, open_it: Opener, bits: Bits) -> Offer:
    """Return the files of a model, written at the first call. Raises OSError."""
    with _writing:
        if key not in _written:
            _written[key] = _write(open_it, bits)
        _written.move_to_end(key)
        offer = _written[key].offer
        keep(key, offer)
        if len(_written) > _MOST_WRITTEN:
            old_key, old = _written.popitem(last=False)
            withdraw(old_key, old.offer)
            old.folder.cleanup()
    return offer


def _write(open_it: Opener, bits: Bits) -> _Written:
    folder = tempfile.TemporaryDirectory(prefix="loupe-weights-")
    stem = Path(folder.name) / "model"
    files: dict[str, File] = {}
    try:
        try:
            model, about = open_it()
            parts = write_parts(model, stem, bits)
            said = {**about, "bits": bits, "parts": parts}
            for i, part in enumerate(parts):
                files[f".{i}"] = File(stem.with_name(f"{stem.name}.{i}"), part["sha256"])
        except BrowserModelError as error:
            said = {"fault": error.reason}
        except CheckpointError:  # its files have changed since the stamp
            said = {"fault": "missing"}
        described = json.dumps(said, ensure_ascii=False).encode()
        json_path = stem.with_name(f"{stem.name}.{ABOUT}")
        json_path.write_bytes(described)
        files[f".{ABOUT}"] = File(json_path, hashlib.sha256(described).hexdigest())
        return _Written(Offer(files, state_of(files)), folder)
    except BaseException:
        folder.cleanup()
        raise
