"""Opens and saves models by name or folder, and lists those of the Hugging Face cache."""

import difflib
from pathlib import Path
from typing import Any

import tokenizers
import torch
from torch import nn

from loupe.foreign import is_of_transformers
from loupe.loaded import with_methods
from loupe.module_finder import HOME
from loupe.native import Opened, as_checkpoint
from model.checkpoints.checkpoint import Checkpoint, save_checkpoint
from model.checkpoints.checkpoint_files import list_checkpoints
from model.checkpoints.errors import CheckpointError
from model.files.json_fields import shorten
from model.foreign.hub.cache import CachedModel, cached_models, find_cached, is_entry
from model.foreign.hub.names import HubError, read_name, repo_of
from model.foreign.imports.folder_files import CONFIG, TOKENIZER
from model.foreign.opening import open_model
from model.transformer import Transformer

SHIPPED = HOME / "sample_data" / "checkpoints"


@with_methods
def load(
    name: str | Path, *, revision: str | None = None, device: str | torch.device = "cpu"
) -> "Opened":
    """Open a model by its name or its path.

    A name is that of a checkpoint shipped with Loupe, or of a model in your Hugging Face cache,
    such as `openai-community/gpt2`. A path leads to your own checkpoint, or to a folder that
    transformers saved. If Loupe implements the model's family, transformers is not needed;
    otherwise Loupe runs and records transformers' code. This function never uses the network:
    `loupe fetch NAME` downloads a model.

    Args:
        name: A name or a path. If both exist, the path is opened.
        revision: A branch, a tag or a commit of a model in the cache; without it, `main`.
        device: The device of the model, as torch names it.

    Raises:
        CheckpointError: If the model does not exist or cannot be read.
        ImportError: If transformers is needed and missing.
    """
    return open_model(locate(name, revision), device)


def locate(name: str | Path, revision: str | None = None) -> Path:
    """Return the path of the model that `load` opens. Raises CheckpointError if there is none."""
    path = Path(name).expanduser()
    if revision is not None:
        repo, root = (repo_of(path.name), path.parent) if is_entry(path) else (None, None)
        return _in_cache(repo or str(name), revision, root)
    if path.is_dir() and not (path / CONFIG).is_file():
        return path if is_entry(path) else _only_one(path)
    if path.with_name(f"{path.name}.json").is_file() or path.exists():
        return path
    if str(name) in (found.name for found in list_checkpoints(SHIPPED)):
        return SHIPPED / name
    return _in_cache(str(name))


def cached() -> list[CachedModel]:
    """List the models in your Hugging Face cache that look like models Loupe could open."""
    return [each for each in cached_models() if each.lacks() is None]


def _in_cache(name: str, revision: str | None = None, root: Path | None = None) -> Path:
    try:
        return find_cached(read_name(name, revision), root).path
    except HubError as error:
        if revision is not None:
            raise CheckpointError(str(error)) from error
        shipped = [found.name for found in list_checkpoints(SHIPPED)]
        nearest = difflib.get_close_matches(name, shipped, n=3, cutoff=0.0)
        raise CheckpointError(
            f"{shorten(name)} is not a file, a folder or a checkpoint shipped with Loupe; the "
            f"nearest of Loupe's checkpoints are {', '.join(nearest)}. {error}"
        ) from error


def save(model: "Checkpoint | nn.Module", tokenizer: object, folder: str | Path) -> Path:
    """Save a model and its tokenizer in a folder that `loupe app FOLDER` opens; return its path.

    A transformers model is saved by transformers, a Loupe model as NAME.safetensors and NAME.json.
    For a Loupe checkpoint the tokenizer may be None.

    Raises TypeError if the model or its tokenizer is of a kind that could not be opened again.
    """
    path = Path(folder).expanduser()
    if isinstance(model, Checkpoint | Transformer):
        checkpoint = as_checkpoint(model, tokenizer)
        save_checkpoint(path / checkpoint.info.name, checkpoint.model, checkpoint.info, half=False)
        return path
    if not is_of_transformers(model):
        raise TypeError(
            "save needs a model of Loupe or of transformers, got "
            f"{type(model).__name__}: its code is not saved with its weights"
        )
    _save_rules(tokenizer, path)
    transformers_model: Any = model
    transformers_model.save_pretrained(path)
    return path


def _save_rules(tokenizer: Any, path: Path) -> None:  # noqa: ANN401 - whatever a user has
    if isinstance(tokenizer, tokenizers.Tokenizer):
        path.mkdir(parents=True, exist_ok=True)
        tokenizer.save(str(path / TOKENIZER))
    elif hasattr(tokenizer, "save_pretrained"):
        tokenizer.save_pretrained(path)
    else:
        raise TypeError(
            "save needs a tokenizer of transformers or of tokenizers, got "
            f"{type(tokenizer).__name__}"
        )


def _only_one(folder: Path) -> Path:
    found = list_checkpoints(folder)
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise CheckpointError(
            f"{folder} must hold one checkpoint, got {names}: give the path of one"
        )
    return found[0]
