"""The files of models for the browser, under a name made from their contents."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from model.config import TransformerConfig
from model.writing import NO_RULES, WritingRules
from viz.pictures.served import base_path
from viz.run.inputs import Stamp
from viz.run.result_cache import cached
from viz.run.wire import WireModel

FOLDER = "weights"
"""Prefix of a file's path."""
WEIGHTS, ABOUT = "safetensors", "json"
"""The suffixes of a checkpoint's files."""
MOST_BYTES = 6_000_000
"""Most bytes of offered weights: a larger model is too slow in a browser to follow a drag."""

_MOST = 64


class File(NamedTuple):
    """An offered file, and the sha256 of its contents."""

    path: Path
    sha256: str


class Offer(NamedTuple):
    """The files of a model by their suffixes, with their times and sizes when they were read."""

    files: dict[str, File]
    state: tuple[tuple[int, int], ...]


_offered: OrderedDict[str, Offer] = OrderedDict()
_promised: OrderedDict[str, Callable[[], Offer]] = OrderedDict()
_lock = Lock()


def runs_in_browser(config: TransformerConfig, rules: WritingRules = NO_RULES) -> bool:
    """Return whether the JavaScript model computes and writes everything that this model does.

    It computes every config, but not the rules for writing that only transformers can apply.
    """
    writes_nothing = config.has_decoder and config.head == "none"
    return rules.more is None and not writes_nothing


def offer_model(found: Stamp) -> WireModel | None:
    """Return the name and path of a checkpoint's files on the server.

    None if there are no files, or too many weights. The server gives out only offered files.
    """
    weights = _file(found, WEIGHTS)
    if found.foreign or not weights.is_file() or weights.stat().st_size > MOST_BYTES:
        return None
    key, offer = _whole(found)
    keep(key, offer)
    return {"key": key, "address": address_of(key)}


def keep(key: str, offer: Offer) -> None:
    """Offer files under a name."""
    with _lock:
        _offered[key] = offer
        _offered.move_to_end(key)
        if len(_offered) > _MOST:
            _offered.popitem(last=False)


def promise(key: str, write: Callable[[], Offer]) -> None:
    """Offer files under a name; `write` writes them at the first request.

    `write` may raise OSError, and is called again after its offer was withdrawn.
    """
    with _lock:
        _promised[key] = write
        _promised.move_to_end(key)
        if len(_promised) > _MOST:
            _promised.popitem(last=False)


def withdraw(key: str, offer: Offer) -> None:
    """Withdraw an offer, unless the name now belongs to another one."""
    with _lock:
        if _offered.get(key) is offer:
            del _offered[key]


def address_of(key: str) -> str:
    """Return the path of a model's files on the server."""
    return f"{base_path()}/{FOLDER}/{key}"


def find_file(name: str) -> bytes | None:
    """Return an offered file, if all files of its model are unchanged.

    The weights have the name of their model, with the number of the part if they are in parts. The
    description ends in `.json`. Only the requested file is read.
    """
    key, dot, ending = name.partition(".")
    with _lock:
        offer, write = _offered.get(key), _promised.get(key)
    try:
        if offer is None and write is not None:
            offer = write()
        file = offer.files.get(dot + ending) if offer else None
        if offer is None or file is None:
            return None
        if state_of(offer.files) != offer.state:
            return None
        contents = file.path.read_bytes()
    except OSError:
        return None
    return contents if hashlib.sha256(contents).hexdigest() == file.sha256 else None


@cached
def _whole(found: Stamp) -> tuple[str, Offer]:
    """Return a checkpoint's two files under a hash of them, read once per state of the files."""
    paths = {"": _file(found, WEIGHTS), f".{ABOUT}": _file(found, ABOUT)}
    contents = {ending: path.read_bytes() for ending, path in paths.items()}
    files = {
        ending: File(paths[ending], hashlib.sha256(data).hexdigest())
        for ending, data in contents.items()
    }
    key = hashlib.sha256(b"".join(contents.values())).hexdigest()
    return key, Offer(files, state_of(files))


def state_of(files: Mapping[str, File]) -> tuple[tuple[int, int], ...]:
    """Return the times and sizes of files, without reading them. Raises OSError."""
    found = [file.path.stat() for file in files.values()]
    return tuple((each.st_mtime_ns, each.st_size) for each in found)


def read_files(found: Stamp) -> dict[str, bytes]:
    """Read a checkpoint's two files, by their suffixes. Raises OSError."""
    return {ending: _file(found, ending).read_bytes() for ending in (WEIGHTS, ABOUT)}


def _file(found: Stamp, ending: str) -> Path:
    path = Path(found.path)
    return path.with_name(f"{path.name}.{ending}")
