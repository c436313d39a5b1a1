"""Models for the browser: a checkpoint's two files, under a name made of their contents."""

import hashlib
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from model.config import TransformerConfig
from model.writing import NO_RULES, WritingRules
from viz.pictures.served import base_path
from viz.run.inputs import Stamp
from viz.run.result_cache import cached
from viz.run.wire import WireModel

FOLDER = "weights"
"""What the path of a file begins with."""
WEIGHTS, ABOUT = "safetensors", "json"
"""Endings of a checkpoint's files."""
MOST_BYTES = 6_000_000
"""Of weights that are offered: a larger model is too slow in a browser to follow a hand."""

_MOST = 64
_offered: OrderedDict[str, Stamp] = OrderedDict()
_lock = Lock()


def runs_in_browser(config: TransformerConfig, rules: WritingRules = NO_RULES) -> bool:
    """Return whether the model's twin in the browser computes and writes all that this one does.

    It computes every config; it does not know the rules of writing that only transformers computes.
    """
    writes_nothing = config.has_decoder and config.head == "none"
    return rules.more is None and not writes_nothing


def offer_model(found: Stamp) -> WireModel | None:
    """Return under which name and path the server has a checkpoint's files.

    None where there are too many weights, or no files. Nothing is served that was not offered.
    """
    weights = _file(found, WEIGHTS)
    if found.foreign or not weights.is_file() or weights.stat().st_size > MOST_BYTES:
        return None
    key = _digest(found)
    with _lock:
        _offered[key] = found
        _offered.move_to_end(key)
        if len(_offered) > _MOST:
            _offered.popitem(last=False)
    return {"key": key, "address": f"{base_path()}/{FOLDER}/{key}"}


def find_file(name: str) -> bytes | None:
    """Return a file that was offered, if both are still the same.

    The weights have the name of their model, and what the checkpoint says of them ends in `.json`.
    """
    key, dot, ending = name.partition(".")
    with _lock:
        found = _offered.get(key)
    if found is None or (dot and ending != ABOUT):
        return None
    try:
        contents = read_files(found)
    except OSError:
        return None
    return contents[ABOUT if dot else WEIGHTS] if _name(contents) == key else None


@cached
def _digest(found: Stamp) -> str:
    return _name(read_files(found))


def read_files(found: Stamp) -> dict[str, bytes]:
    """Read a checkpoint's two files, by their endings. Raises OSError."""
    return {ending: _file(found, ending).read_bytes() for ending in (WEIGHTS, ABOUT)}


def _name(contents: dict[str, bytes]) -> str:
    return hashlib.sha256(b"".join(contents.values())).hexdigest()


def _file(found: Stamp, ending: str) -> Path:
    path = Path(found.path)
    return path.with_name(f"{path.name}.{ending}")
