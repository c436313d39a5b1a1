"""Opens and saves models by name or folder."""

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
from model.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointError,
    list_checkpoints,
    load_checkpoint,
    save_checkpoint,
)
from model.foreign.imports.folder import CONFIG, TOKENIZER
from model.foreign.opening import open_model
from model.transformer import Transformer

SHIPPED = HOME / "sample_data" / "checkpoints"


@with_methods
def load(name: str | Path, *, device: str | torch.device = "cpu") -> "Opened":
    """Open a model: a checkpoint that Loupe brings by its name, one of your own by its path.

    A path may also be of a folder that transformers saved. Where Loupe has such a model of its
    own, transformers is not needed; else its code runs and is recorded. Nothing is asked of the
    network. It computes on the device, as torch names it.

    Raises CheckpointError where there is none, or where it cannot be read, and ImportError where
    transformers is needed and missing.
    """
    path = Path(name).expanduser()
    if path.is_dir() and not (path / CONFIG).is_file():
        return load_checkpoint(_only_one(path), device)
    if path.with_name(f"{path.name}.json").is_file() or path.exists():
        return open_model(path, device)
    shipped = [found.name for found in list_checkpoints(SHIPPED)]
    if str(name) in shipped:
        return load_checkpoint(SHIPPED / name, device)
    nearest = difflib.get_close_matches(str(name), shipped, n=3, cutoff=0.0)
    raise CheckpointError(
        f"{name} is neither a file, nor a folder, nor a checkpoint that Loupe brings; "
        f"of these, the nearest are {', '.join(nearest)}"
    )


def save(model: "Checkpoint | nn.Module", tokenizer: object, folder: str | Path) -> Path:
    """Save a model and its tokenizer into a folder, which `loupe app FOLDER` lists; give its path.

    A model of transformers is saved as transformers does, one of Loupe as NAME.safetensors and
    NAME.json. For a checkpoint of Loupe the tokenizer may be None.

    Raises TypeError on what cannot be saved so that it can be opened again.
    """
    path = Path(folder).expanduser()
    if isinstance(model, Checkpoint | Transformer):
        checkpoint = as_checkpoint(model, tokenizer)
        save_checkpoint(path / checkpoint.info.name, checkpoint.model, checkpoint.info, half=False)
        return path
    if not is_of_transformers(model):
        raise TypeError(
            "a model of Loupe or of transformers can be saved so that it opens again, got "
            f"{type(model).__name__}: its code is not in its weights"
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
            "a tokenizer of transformers or tokenizers can be saved with a model, got "
            f"{type(tokenizer).__name__}"
        )


def _only_one(folder: Path) -> Path:
    found = list_checkpoints(folder)
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise CheckpointError(f"{folder} must hold one checkpoint, got {names}: give its path")
    return found[0]
