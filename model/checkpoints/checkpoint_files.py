"""The two files of a checkpoint: listed, and described without their weights."""

import hashlib
from pathlib import Path
from typing import NoReturn

from model.checkpoints import metadata
from model.checkpoints.errors import CheckpointError
from model.checkpoints.metadata import CheckpointInfo
from model.files.durable import read_file
from model.files.plain_text import plain

MOST_JSON = 1 << 25
"""The largest JSON file, in bytes: two vocabularies of 100,000 tokens have about 6 MB."""
MOST_WEIGHTS = 1 << 30
"""The largest file of weights, in bytes: the paper's big model has 852 MB in float32."""


def list_checkpoints(folder: Path) -> list[Path]:
    """Find the checkpoints with both files, as sorted paths without suffix."""
    weights = {path.with_suffix("") for path in folder.glob("*.safetensors")}
    return sorted(weights & {path.with_suffix("") for path in folder.glob("*.json")})


def read_info(path: Path) -> CheckpointInfo:
    """Read all but the weights. `path` is that of either file, or has no suffix."""
    return read_both(path)[0]


def weights_hash(path: Path) -> str:
    """Read the sha256 of the weights. `path` is that of either file, or has no suffix."""
    return read_both(path)[1]


def check_whole(path: Path) -> None:
    """Compare both files with the digests in them, without opening the model.

    Raises CheckpointError if a file is missing or damaged, or if the two do not belong together.
    """
    sha256 = weights_hash(path)
    check_digest(path, read_whole(files_of(path)[0], MOST_WEIGHTS), sha256)


def check_digest(path: Path, weights: bytes, sha256: str) -> None:
    """Raise CheckpointError unless the weights are those that the JSON describes."""
    weights_path, json_path = files_of(path)
    if hashlib.sha256(weights).hexdigest() != sha256:
        fail(
            weights_path,
            f"its sha256 differs from the one in {json_path.name}: both files must come from "
            "one training and be unchanged; copy both again",
        )


def files_of(path: Path) -> tuple[Path, Path]:
    """Return the files of weights and JSON. `path` is that of either file, or has no suffix."""
    stem = path.with_suffix("") if path.suffix in (".safetensors", ".json") else path
    return stem.with_name(f"{stem.name}.safetensors"), stem.with_name(f"{stem.name}.json")


def fail(path: Path, message: str, cause: Exception | None = None) -> NoReturn:
    """Raise CheckpointError about a file."""
    raise CheckpointError(plain(f"{path}: {message}")) from cause


def read_whole(path: Path, most: int) -> bytes:
    """Read a file of at most `most` bytes. Raises CheckpointError if that fails."""
    try:
        return read_file(path, most=most)
    except FileNotFoundError as error:
        fail(
            path,
            "this file does not exist; a checkpoint is NAME.safetensors and NAME.json together",
            error,
        )
    except OSError as error:
        fail(path, f"cannot be read ({error.strerror})", error)
    except ValueError as error:
        fail(path, f"cannot be read: {error}", error)


def read_both(path: Path) -> tuple[CheckpointInfo, str]:
    """Read the description, and the sha256 of its weights."""
    _, json_path = files_of(path)
    data = read_whole(json_path, MOST_JSON)
    try:
        return metadata.read_info(data)
    except ValueError as error:
        fail(json_path, str(error), error)
