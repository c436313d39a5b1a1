"""What a local folder of a foreign model holds: looked at without loading anything of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from model.checkpoints.checkpoint import CheckpointError
from model.files.durable import read_file
from model.files.json_fields import shorten
from model.files.plain_json import read_object
from model.files.plain_text import plain
from model.foreign.hub.cache import CachedModel, cached_models, origin_of, snapshot_in
from model.foreign.imports.family import Family, importers
from model.foreign.imports.installed import has_transformers
from model.foreign.imports.pieces import Ids, Pieces, read_ids, read_pieces
from model.foreign.imports.tensor_files import Stored, read_header

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
TOKENIZER, TOKENIZER_CONFIG = "tokenizer.json", "tokenizer_config.json"
GENERATION_CONFIG = "generation_config.json"
_PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "model.pth")
_PIECES = ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "source.spm", "vocab.txt")
_SLOW = (*_PIECES, "spm.model", "vocab.json")
RULE_FILES = (TOKENIZER, *_SLOW, "merges.txt", "added_tokens.json", "special_tokens_map.json")
"""Files that say how texts are read, beside tokenizer_config.json."""
_SOURCE_PIECES, _TARGET_PIECES = "source.spm", "target.spm"
_IDS, _TARGET_IDS = "vocab.json", "target_vocab.json"
_MARKS = (CONFIG, WEIGHTS, INDEX, *_PICKLES, "adapter_config.json")

MOST_CONFIG = 1 << 20
MOST_TOKENIZER = 50_000_000
"""Bytes of a tokenizer.json: those of the largest vocabularies have some 30 MB."""
_MOST_INDEX = 1 << 23
_MOST_SHARDS = 100
_MOST_FOLDERS = 200
_LONGEST_FILE_NAME = 255


class FolderError(CheckpointError):
    """A folder that cannot be opened as a model; the message says why, and what would work."""


class NotPouredError(FolderError):
    """A folder of a known family that Loupe's own model does not compute; transformers may."""


@dataclass(frozen=True)
class Files:
    """What a folder has, all of it checked but numbers and tokens."""

    path: Path
    config: Mapping[str, Any]
    """Fields of config.json."""
    tensors: Mapping[str, Stored]
    tokenizer_config: Mapping[str, Any]
    writing: Mapping[str, Any]
    """Fields of generation_config.json, or of config.json without one: how it writes."""


@dataclass(frozen=True)
class Folder(Files):
    """A folder of a family that can be poured into our own model."""

    family: Family


def find_models(folder: Path) -> list[Path]:
    """List the folders that hold a model, or seem to: this one itself, or those in it, sorted.

    In the cache of Hugging Face's client, these are one snapshot of each model.
    """
    folder = snapshot_in(folder)
    if _is_model(folder):
        return [folder]
    try:
        inside = sorted(path for path in folder.iterdir() if _is_model(path))
    except OSError:
        return []
    cached = (found.path for found in cached_models(folder))
    return [*inside, *filter(_is_model, cached)][:_MOST_FOLDERS]


def family_of(path: Path) -> Family | None:
    """Return the family that a folder says it is of in its config.json; None if unknown."""
    return importers().get(kind_of(path) or "")


def kind_of(path: Path) -> str | None:
    """Return the kind of model that a folder says it is; None where it says none."""
    try:
        said = _read_json(path, CONFIG, MOST_CONFIG).get("model_type")
    except FolderError:
        return None
    return said if isinstance(said, str) and said else None


def look_into(path: Path) -> Folder:
    """Read all but numbers and tokens. Raises FolderError on what must not or cannot be opened."""
    config = read_config(path)
    family = _family(path, config)
    return Folder(**vars(read_files(path, config)), family=family)


def read_config(path: Path) -> dict[str, Any]:
    """Read config.json. Raises FolderError where the folder asks for foreign code to be run."""
    config = _read_json(path, CONFIG, MOST_CONFIG)
    _refuse_foreign_code(path, config)
    return config


def read_files(path: Path, config: Mapping[str, Any]) -> Files:
    """Read what else there is but numbers and tokens. Raises FolderError as `look_into` does."""
    tensors = _tensors(path)
    has_others = has_transformers() and any(_exists(path, name) for name in _SLOW)
    if not has_pieces(path) and not has_others:
        _inside(path, TOKENIZER)  # so that its absence is told before anything else is read
    about = {}
    if _exists(path, TOKENIZER_CONFIG):
        about = _read_json(path, TOKENIZER_CONFIG, _MOST_INDEX)
        if about.get("auto_map"):
            _fail(path, _own_code(TOKENIZER_CONFIG))
    writing = config
    if _exists(path, GENERATION_CONFIG):
        writing = _read_json(path, GENERATION_CONFIG, MOST_CONFIG)
    return Files(path, config, tensors, about, writing)


def read_if_there(path: Path, name: str) -> bytes | None:
    """Read a file that says how texts are read. Raises FolderError if it is too large."""
    return _read(path, name, MOST_TOKENIZER) if _exists(path, name) else None


def has_pieces(path: Path) -> bool:
    """Return whether a folder has SentencePiece's files for two languages, as Marian's do."""
    needed = (_SOURCE_PIECES, _TARGET_PIECES, _IDS)
    return not _exists(path, TOKENIZER) and all(_exists(path, name) for name in needed)


def read_pieces_of(folder: Files, side: Literal["source", "target"]) -> tuple[Pieces, Ids]:
    """Read the pieces of one language, and the ids of its tokens, which both may share.

    Raises FolderError on what cannot be read.
    """
    name = _SOURCE_PIECES if side == "source" else _TARGET_PIECES
    has_own = side == "target" and _exists(folder.path, _TARGET_IDS)
    ids = _TARGET_IDS if has_own else _IDS
    try:
        pieces = read_pieces(_read(folder.path, name, MOST_TOKENIZER))
    except FolderError:
        raise
    except ValueError as error:
        _fail(folder.path, f"{name}: {error}", error)
    try:
        return pieces, read_ids(_read_json(folder.path, ids, _MOST_INDEX))
    except FolderError:
        raise
    except ValueError as error:
        _fail(folder.path, f"{ids}: {error}", error)


def called(path: Path) -> str:
    """Return the name of a folder for an error; a snapshot of the Hub has its model's."""
    origin = origin_of(path)
    return origin.repo if origin else shorten(path.name)


def _is_model(path: Path) -> bool:
    try:
        return path.is_dir() and any(_exists(path, name) for name in _MARKS)
    except OSError:
        return False


def _exists(path: Path, name: str) -> bool:
    return (path / name).exists() or (path / name).is_symlink()


def _refuse_foreign_code(path: Path, config: Mapping[str, Any]) -> None:
    if _exists(path, "adapter_config.json"):
        _fail(
            path,
            "it holds an adapter (adapter_config.json), which changes the weights of another "
            "model: merge it (merge_and_unload of peft) and save the whole model",
        )
    if config.get("auto_map"):
        _fail(path, _own_code(CONFIG))
    for name, value in config.items():
        if "attn_implementation" in name and isinstance(value, str) and "/" in value:
            _fail(
                path,
                f"{shorten(name)} of config.json names code to be fetched from elsewhere "
                f"({shorten(value)}): none is, so take that field out",
            )
    if config.get("quantization_config") or config.get("compression_config"):
        _fail(
            path,
            "its weights are quantised, and its numbers would not be the model's own: "
            "take the folder of the model before it was quantised",
        )


def _own_code(name: str) -> str:
    return (
        f"auto_map of {name} asks for Python code of the folder's own, and none is executed here: "
        "only models of the known families can be opened"
    )


def _family(path: Path, config: Mapping[str, Any]) -> Family:
    said = config.get("model_type")
    family = importers().get(said) if isinstance(said, str) else None
    if family is None:
        known = ", ".join(sorted(importers()))
        got = f"got {shorten(said)}" if said is not None else "and there is none"
        _fail(path, f"model_type of config.json must be one of {known}, {got}")
    return family


def _tensors(path: Path) -> dict[str, Stored]:
    if _exists(path, WEIGHTS):
        return _header(path, WEIGHTS)
    if _exists(path, INDEX):
        return _sharded(path)
    return _fail(path, _no_weights(path))


def _no_weights(path: Path) -> str:
    pickles = [name for name in _PICKLES if _exists(path, name)]
    if not pickles:
        origin = origin_of(path)
        return f"it has no {WEIGHTS}" + (f"; {_fetched(origin)}" if origin else "")
    return (
        f"its weights are in {pickles[0]} alone, a format that can run code when it is read: write "
        f"them as {WEIGHTS}, with save_pretrained(folder, safe_serialization=True) of transformers"
    )


def _sharded(path: Path) -> dict[str, Stored]:
    """Read the headers of the files that an index names, which must be files of this folder."""
    named = _read_json(path, INDEX, _MOST_INDEX).get("weight_map")
    if not isinstance(named, dict) or not named:
        _fail(path, f"{INDEX} needs a weight_map: the file of each tensor")
    files = {name: _plain_name(path, name) for name in set(map(str, named.values()))}
    if len(files) > _MOST_SHARDS:
        _fail(path, f"{INDEX} must name at most {_MOST_SHARDS} files, got {len(files)}")
    found: dict[str, Stored] = {}
    for name in sorted(files.values()):
        for tensor, stored in _header(path, name).items():
            if named.get(tensor) != name:
                _fail(path, f"{INDEX} does not say that {shorten(tensor)} is in {shorten(name)}")
            found[tensor] = stored
    if missing := sorted(named.keys() - found.keys()):
        _fail(path, f"{INDEX} names {shorten(missing[0])}, which is in none of its files")
    return found


def _plain_name(path: Path, name: str) -> str:
    plain = name.endswith(".safetensors") and not set(name) & set('/\\:\0"')
    if not plain or len(name) > _LONGEST_FILE_NAME:
        _fail(
            path,
            f"{INDEX} names the file {shorten(name)}: only names of .safetensors files in the "
            "folder itself are followed",
        )
    return name


def _header(path: Path, name: str) -> dict[str, Stored]:
    file = _inside(path, name)
    try:
        return read_header(file)
    except OSError as error:
        _fail(path, f"{shorten(name)} cannot be read ({error.strerror})", error)
    except ValueError as error:
        _fail(path, f"{shorten(name)}: {error}", error)


def _read_json(path: Path, name: str, most: int) -> dict[str, Any]:
    try:
        return read_object(_read(path, name, most), where=name)
    except FolderError:
        raise
    except ValueError as error:
        _fail(path, str(error), error)


def _read(path: Path, name: str, most: int) -> bytes:
    try:
        return read_file(_inside(path, name), most=most)
    except OSError as error:
        _fail(path, f"{name} cannot be read ({error.strerror})", error)
    except FolderError:
        raise
    except ValueError as error:
        _fail(path, f"{name}: {error}", error)


def _inside(path: Path, name: str) -> Path:
    """Return a file of the folder, where its links lead. Raises FolderError if that is outside."""
    try:
        root, file = path.resolve(strict=True), (path / name).resolve(strict=True)
    except FileNotFoundError as error:
        _fail(path, _missing(path, name), error)
    except (OSError, RuntimeError, ValueError) as error:
        _fail(path, f"{shorten(name)} cannot be found ({shorten(str(error))})", error)
    if not file.is_relative_to(root) and not file.is_relative_to(_blobs(root)):
        _fail(
            path,
            f"{shorten(name)} is a link to a file outside the folder, which is not followed: "
            "put a copy in its place",
        )
    return file


def _blobs(root: Path) -> Path:
    """Return where the files of a snapshot in Hugging Face's own cache are; else the folder."""
    snapshots = root.parent
    if snapshots.name == "snapshots" and snapshots.parent.name.startswith("models--"):
        return snapshots.parent / "blobs"
    return root


def _missing(path: Path, name: str) -> str:
    if name == TOKENIZER and any(_exists(path, slow) for slow in _SLOW):
        kept = next(slow for slow in _SLOW if _exists(path, slow))
        return (
            f"it has no {TOKENIZER}, and its {kept} is not read here: write one with "
            "AutoTokenizer.from_pretrained(folder).save_pretrained(folder) of transformers"
        )
    needs = {
        CONFIG: f"a model's folder has {CONFIG}, {WEIGHTS} and {TOKENIZER}",
        TOKENIZER: "without it no text can be read",
    }
    if origin := origin_of(path):
        return f"it has no {shorten(name)}; {_fetched(origin)}"
    return f"it has no {shorten(name)}; {needs.get(name, 'copy the folder again')}"


def _fetched(origin: CachedModel) -> str:
    return f"if that was not downloaded, `loupe fetch {origin.name}` does it"


def _fail(path: Path, message: str, cause: Exception | None = None) -> NoReturn:
    raise FolderError(plain(f"{called(path)}: {message}")) from cause
