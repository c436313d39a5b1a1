"""Trained models on disk: weights as safetensors, with a JSON file for the rest."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import safetensors.torch
import torch

from model.anatomy import Anatomy
from model.checkpoints.checkpoint_files import (
    MOST_WEIGHTS,
    check_digest,
    fail,
    files_of,
    read_both,
    read_whole,
)
from model.checkpoints.errors import CheckpointError
from model.checkpoints.metadata import CheckpointInfo, write_info
from model.checkpoints.weights import (
    check_finite,
    check_weights,
    shortened,
    stored_tensors,
    widened,
)
from model.files.durable import write_whole
from model.files.json_fields import shorten
from model.linear import store_by_input
from model.probing import anatomy_of
from model.transformer import Transformer


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A trained model, in evaluation mode and without gradients, and its description."""

    info: CheckpointInfo
    model: Transformer

    @cached_property
    def anatomy(self) -> Anatomy:
        """The parts of the model."""
        return anatomy_of(self.model)


def save_checkpoint(
    path_without_suffix: Path, model: Transformer, info: CheckpointInfo, *, half: bool = True
) -> None:
    """Write both files, each atomically, over those of an earlier checkpoint.

    An interruption between the two leaves a pair that `load_checkpoint` refuses. With `half`,
    weights are stored in float16 (about three decimal digits), and matrices of 100,000 numbers or
    more in 8 bits, each row scaled by its largest number; otherwise all are float32.
    """
    weights_path, json_path = files_of(path_without_suffix)
    if model.config != info.config:
        raise CheckpointError(f"{weights_path}: the config given must be that of the model")
    weights = {
        name: tensor.detach().to("cpu", torch.float32).contiguous()
        for name, tensor in stored_tensors(model).items()
    }
    if half:
        weights = shortened(weights)
    try:
        check_finite(weights)
    except ValueError as error:
        larger = "; float16 ends at 65504, use half=False for larger numbers" if half else ""
        fail(weights_path, f"{error}{larger}", error)
    data = safetensors.torch.save(weights)
    try:
        text = write_info(info, hashlib.sha256(data).hexdigest())
    except ValueError as error:
        fail(json_path, str(error), error)
    weights_path.parent.mkdir(parents=True, exist_ok=True)
    write_whole({weights_path: data, json_path: text})


def load_checkpoint(path: Path, device: str | torch.device = "cpu") -> Checkpoint:
    """Read both files and check one against the other before the model is built, in float32."""
    info, sha256 = read_both(path)
    weights_path, _ = files_of(path)
    data = read_whole(weights_path, MOST_WEIGHTS)
    try:
        weights = safetensors.torch.load(data)
    except Exception as error:  # the parser raises several types of errors
        fail(
            weights_path,
            f"not a complete safetensors file ({shorten(str(error))}); copy or train it again",
            error,
        )
    check_digest(path, data, sha256)
    try:
        check_weights(weights, info.config)
        weights = widened(weights)
        check_finite(weights)
    except ValueError as error:
        fail(weights_path, str(error), error)
    with torch.random.fork_rng(devices=[]):  # leave the caller's random numbers alone
        model = Transformer(info.config)
    with torch.no_grad():
        for name, tensor in stored_tensors(model).items():
            tensor.copy_(weights[name])
    store_by_input(model)
    return Checkpoint(info=info, model=model.to(device).eval().requires_grad_(False))
