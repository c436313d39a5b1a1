"""Finds the tensors of a model's folder, from the headers of its .safetensors files."""

from pathlib import Path

from model.files.json_fields import shorten
from model.foreign.hub.cache import origin_of
from model.foreign.imports.folder_files import (
    INDEX,
    MOST_INDEX,
    PICKLES,
    WEIGHTS,
    exists,
    fail,
    find_inside,
    how_to_fetch,
    read_json,
)
from model.foreign.imports.tensor_files import Stored, read_header

_MOST_SHARDS = 100
_LONGEST_FILE_NAME = 255


def read_headers(path: Path) -> dict[str, Stored]:
    """Return the tensors of a folder by name. Raises FolderError if none are found."""
    if exists(path, WEIGHTS):
        return _header(path, WEIGHTS)
    if exists(path, INDEX):
        return _sharded(path)
    return fail(path, _no_weights(path))


def _no_weights(path: Path) -> str:
    pickles = [name for name in PICKLES if exists(path, name)]
    if not pickles:
        origin = origin_of(path)
        return f"it has no {WEIGHTS}" + (f"; {how_to_fetch(origin)}" if origin else "")
    return (
        f"its only weights are in {pickles[0]}, a format that can run code when it is read: save "
        f"them as {WEIGHTS}, with save_pretrained(folder, safe_serialization=True) of transformers"
    )


def _sharded(path: Path) -> dict[str, Stored]:
    """Read the headers of the files in an index, which must be files of this folder."""
    named = read_json(path, INDEX, MOST_INDEX).get("weight_map")
    if not isinstance(named, dict) or not named:
        fail(path, f"{INDEX} needs a weight_map: the file of each tensor")
    files = {name: _plain_name(path, name) for name in set(map(str, named.values()))}
    if len(files) > _MOST_SHARDS:
        fail(path, f"{INDEX} must name at most {_MOST_SHARDS} files, got {len(files)}")
    found: dict[str, Stored] = {}
    for name in sorted(files.values()):
        for tensor, stored in _header(path, name).items():
            if named.get(tensor) != name:
                fail(path, f"{INDEX} does not say that {shorten(tensor)} is in {shorten(name)}")
            found[tensor] = stored
    if missing := sorted(named.keys() - found.keys()):
        fail(path, f"{INDEX} names {shorten(missing[0])}, which is in none of its files")
    return found


def _plain_name(path: Path, name: str) -> str:
    plain = name.endswith(".safetensors") and not set(name) & set('/\\:\0"')
    if not plain or len(name) > _LONGEST_FILE_NAME:
        fail(
            path,
            f"{INDEX} names the file {shorten(name)}: Loupe reads only .safetensors files in the "
            "folder itself",
        )
    return name


def _header(path: Path, name: str) -> dict[str, Stored]:
    file = find_inside(path, name)
    try:
        return read_header(file)
    except OSError as error:
        fail(path, f"{shorten(name)} cannot be read ({error.strerror})", error)
    except ValueError as error:
        fail(path, f"{shorten(name)}: {error}", error)
