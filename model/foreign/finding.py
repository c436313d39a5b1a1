"""Finds and names the folders that hold a model, without opening any."""

from pathlib import Path

from model.files.plain_text import plain
from model.foreign.errors import FolderError
from model.foreign.hub.cache import cached_models, origin_of, snapshot_in
from model.foreign.imports.folder_files import CONFIG, INDEX, PICKLES, WEIGHTS, exists, read_json

LONGEST_NAME = 60
MOST_CONFIG = 1 << 20
_MOST_FOLDERS = 200
_MARKS = (CONFIG, WEIGHTS, INDEX, *PICKLES, "adapter_config.json")


def find_models(folder: Path) -> list[Path]:
    """List the folders that seem to hold a model: this folder itself, or those in it, sorted.

    In the cache of Hugging Face's client, the result has one snapshot of each model.
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


def name_of(path: Path) -> str:
    """Return a folder's name, safe to show; for a snapshot of the Hub, the model's name."""
    origin = origin_of(path)
    return origin.repo if origin else plain(path.resolve().name, most=LONGEST_NAME)


def commit_of(path: Path) -> str:
    """Return the commit of a snapshot of the Hub; "" for other folders."""
    origin = origin_of(path)
    return origin.commit if origin else ""


def kind_of(path: Path) -> str | None:
    """Return the `model_type` that a folder's config.json states; None if it states none."""
    try:
        said = read_json(path, CONFIG, MOST_CONFIG).get("model_type")
    except FolderError:
        return None
    return said if isinstance(said, str) and said else None


def _is_model(path: Path) -> bool:
    try:
        return path.is_dir() and any(exists(path, name) for name in _MARKS)
    except OSError:
        return False
