"""Reads the files of a model's folder, with a size limit, and only from inside the folder."""

from pathlib import Path
from typing import Any, NoReturn

from model.files.durable import read_file
from model.files.json_fields import shorten
from model.files.plain_json import read_object
from model.files.plain_text import plain
from model.foreign.errors import FolderError
from model.foreign.hub.cache import CachedModel, origin_of

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
TOKENIZER, TOKENIZER_CONFIG = "tokenizer.json", "tokenizer_config.json"
GENERATION_CONFIG = "generation_config.json"
_PIECES = ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "source.spm", "vocab.txt")
SLOW = (*_PIECES, "spm.model", "vocab.json")
"""The tokenizer files that transformers reads if there is no tokenizer.json."""
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "model.pth")
"""Weight files in formats that can run code when they are read; Loupe does not read them."""
MOST_INDEX = 1 << 23
"""The largest size in bytes of an index of tensors, or of a tokenizer_config.json."""


def called(path: Path) -> str:
    """Return a folder's name for an error message; for a snapshot of the Hub, the model's name."""
    origin = origin_of(path)
    return origin.repo if origin else shorten(path.name)


def exists(path: Path, name: str) -> bool:
    """Return whether a folder has a file of this name, or a link, even a broken one."""
    return (path / name).exists() or (path / name).is_symlink()


def read_json(path: Path, name: str, most: int) -> dict[str, Any]:
    """Read an object from a JSON file of a folder. Raises FolderError if that fails."""
    try:
        return read_object(read_bounded(path, name, most), where=name)
    except FolderError:
        raise
    except ValueError as error:
        fail(path, str(error), error)


def read_bounded(path: Path, name: str, most: int) -> bytes:
    """Read a file of a folder, of at most `most` bytes. Raises FolderError if that fails."""
    try:
        return read_file(find_inside(path, name), most=most)
    except OSError as error:
        fail(path, f"{name} cannot be read ({error.strerror})", error)
    except FolderError:
        raise
    except ValueError as error:
        fail(path, f"{name}: {error}", error)


def find_inside(path: Path, name: str) -> Path:
    """Follow links to a file of the folder. Raises FolderError if they lead outside."""
    try:
        root, file = path.resolve(strict=True), (path / name).resolve(strict=True)
    except FileNotFoundError as error:
        fail(path, _missing(path, name), error)
    except (OSError, RuntimeError, ValueError) as error:
        fail(path, f"{shorten(name)} cannot be found ({shorten(str(error))})", error)
    if not file.is_relative_to(root) and not file.is_relative_to(_blobs(root)):
        fail(
            path,
            f"{shorten(name)} is a link to a file outside the folder, which Loupe does not "
            "follow: replace it with a copy",
        )
    return file


def how_to_fetch(origin: CachedModel) -> str:
    """Explain how to download a file that a snapshot of the Hub lacks."""
    return f"if that was not downloaded, `loupe fetch {origin.name}` does it"


def fail(path: Path, message: str, cause: Exception | None = None) -> NoReturn:
    """Raise FolderError with the name of the folder and a message."""
    raise FolderError(plain(f"{called(path)}: {message}")) from cause


def _missing(path: Path, name: str) -> str:
    if name == TOKENIZER and any(exists(path, slow) for slow in SLOW):
        kept = next(slow for slow in SLOW if exists(path, slow))
        return (
            f"it has no {TOKENIZER}, and Loupe does not read its {kept}: write one with "
            "AutoTokenizer.from_pretrained(folder).save_pretrained(folder) of transformers"
        )
    needs = {
        CONFIG: f"a model's folder has {CONFIG}, {WEIGHTS} and {TOKENIZER}",
        TOKENIZER: "Loupe cannot read texts without it",
    }
    if origin := origin_of(path):
        return f"it has no {shorten(name)}; {how_to_fetch(origin)}"
    return f"it has no {shorten(name)}; {needs.get(name, 'copy the folder again')}"


def _blobs(root: Path) -> Path:
    """Return the folder of a snapshot's files in Hugging Face's cache; else the given folder."""
    snapshots = root.parent
    if snapshots.name == "snapshots" and snapshots.parent.name.startswith("models--"):
        return snapshots.parent / "blobs"
    return root
