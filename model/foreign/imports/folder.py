"""Examines the local folder of a third-party model, without loading its weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from model.files.json_fields import shorten
from model.foreign.errors import FolderError
from model.foreign.finding import MOST_CONFIG, kind_of
from model.foreign.imports.family import Family, find_family, known_types
from model.foreign.imports.folder_files import (
    CONFIG,
    GENERATION_CONFIG,
    MOST_INDEX,
    SLOW,
    TOKENIZER,
    TOKENIZER_CONFIG,
    exists,
    fail,
    find_inside,
    read_bounded,
    read_json,
)
from model.foreign.imports.installed import has_transformers
from model.foreign.imports.pieces import Ids, Pieces, read_ids, read_pieces
from model.foreign.imports.tensor_files import Stored
from model.foreign.imports.weight_files import read_headers
from model.plugins import FAMILIES, source

RULE_FILES = (TOKENIZER, *SLOW, "merges.txt", "added_tokens.json", "special_tokens_map.json")
"""The files that define how texts are tokenized, besides tokenizer_config.json."""
_SOURCE_PIECES, _TARGET_PIECES = "source.spm", "target.spm"
_IDS, _TARGET_IDS = "vocab.json", "target_vocab.json"

MOST_TOKENIZER = 50_000_000
"""The largest size of a tokenizer.json in bytes; the largest vocabularies take about 30 MB."""


@dataclass(frozen=True)
class Files:
    """The contents of a folder, all checked except weights and tokens."""

    path: Path
    config: Mapping[str, Any]
    """The fields of config.json."""
    tensors: Mapping[str, Stored]
    tokenizer_config: Mapping[str, Any]
    writing: Mapping[str, Any]
    """The fields of generation_config.json, or else of config.json, with the rules for writing."""


@dataclass(frozen=True)
class Folder(Files):
    """A folder of a family that Loupe's own model can compute."""

    family: Family


def family_of(path: Path) -> Family | None:
    """Return the family that a folder's config.json names; None if it is unknown."""
    return find_family(kind_of(path) or "")


def look_into(path: Path) -> Folder:
    """Read all except weights and tokens. Raises FolderError if the folder must not be opened."""
    config = read_config(path)
    family = _family(path, config)
    return Folder(**vars(read_files(path, config)), family=family)


def read_config(path: Path) -> dict[str, Any]:
    """Read config.json. Raises FolderError if it cannot be read, or if the folder is refused."""
    config = read_json(path, CONFIG, MOST_CONFIG)
    _refuse_foreign_code(path, config)
    return config


def read_files(path: Path, config: Mapping[str, Any]) -> Files:
    """Read everything else except weights and tokens. Raises FolderError as `look_into` does."""
    tensors = read_headers(path)
    has_others = has_transformers() and any(exists(path, name) for name in SLOW)
    if not has_pieces(path) and not has_others:
        find_inside(path, TOKENIZER)  # so that its absence is reported first
    about = {}
    if exists(path, TOKENIZER_CONFIG):
        about = read_json(path, TOKENIZER_CONFIG, MOST_INDEX)
        if about.get("auto_map"):
            fail(path, _own_code(TOKENIZER_CONFIG))
    writing = config
    if exists(path, GENERATION_CONFIG):
        writing = read_json(path, GENERATION_CONFIG, MOST_CONFIG)
    return Files(path, config, tensors, about, writing)


def read_if_there(path: Path, name: str) -> bytes | None:
    """Read a file of the tokenizer, if there is one. Raises FolderError if it is too large."""
    return read_bounded(path, name, MOST_TOKENIZER) if exists(path, name) else None


def has_pieces(path: Path) -> bool:
    """Return whether a folder has SentencePiece files for two languages, as Marian's folders do."""
    needed = (_SOURCE_PIECES, _TARGET_PIECES, _IDS)
    return not exists(path, TOKENIZER) and all(exists(path, name) for name in needed)


def read_pieces_of(folder: Files, side: Literal["source", "target"]) -> tuple[Pieces, Ids]:
    """Read the pieces of one language, and the ids of its tokens, which both languages may share.

    Raises FolderError if they cannot be read.
    """
    name = _SOURCE_PIECES if side == "source" else _TARGET_PIECES
    has_own = side == "target" and exists(folder.path, _TARGET_IDS)
    ids = _TARGET_IDS if has_own else _IDS
    try:
        pieces = read_pieces(read_bounded(folder.path, name, MOST_TOKENIZER))
    except FolderError:
        raise
    except ValueError as error:
        fail(folder.path, f"{name}: {error}", error)
    try:
        return pieces, read_ids(read_json(folder.path, ids, MOST_INDEX))
    except FolderError:
        raise
    except ValueError as error:
        fail(folder.path, f"{ids}: {error}", error)


def _refuse_foreign_code(path: Path, config: Mapping[str, Any]) -> None:
    if exists(path, "adapter_config.json"):
        fail(
            path,
            "it holds an adapter (adapter_config.json), which changes the weights of another "
            "model: merge it (merge_and_unload of peft) and save the whole model",
        )
    if config.get("auto_map"):
        fail(path, _own_code(CONFIG))
    for name, value in config.items():
        if "attn_implementation" in name and isinstance(value, str) and "/" in value:
            fail(
                path,
                f"{shorten(name)} of config.json names code to download from elsewhere "
                f"({shorten(value)}), which Loupe never does: remove that field",
            )
    if config.get("quantization_config") or config.get("compression_config"):
        fail(
            path,
            "its weights are quantised, so its numbers would not be the original model's: "
            "open the folder of the model before it was quantised",
        )


def _own_code(name: str) -> str:
    return (
        f"auto_map of {name} asks for Python code from the folder, which Loupe never runs: it "
        "opens only models that it or transformers implements"
    )


def _family(path: Path, config: Mapping[str, Any]) -> Family:
    said = config.get("model_type")
    family = find_family(said) if isinstance(said, str) else None
    if family is None:
        if isinstance(said, str) and (plugin := source(FAMILIES, said)):
            fail(path, plugin.sentence)
        known = ", ".join(known_types())
        got = f"got {shorten(said)}" if said is not None else "but config.json has none"
        fail(path, f"model_type of config.json must be one of {known}, {got}")
    return family
