"""Trained models on disk: weights as safetensors, all else as JSON beside them."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import safetensors.torch
import torch

from model.config import TransformerConfig
from model.files import write_whole
from model.json_fields import check_fields, shorten
from model.tokenizer import PAD_ID, Tokenizers
from model.transformer import Transformer
from model.weights import check_finite, check_weights, stored_tensors

T = TypeVar("T")

FORMAT_VERSION = 1

_FIELDS: dict[str, type] = {
    "format_version": int,
    "name": str,
    "title": str,
    "variant": str,
    "task": str,
    "config": dict,
    "tokenizers": dict,
    "training": dict,
    "scores": dict,
    "sha256": str,
}


class CheckpointError(ValueError):
    """A checkpoint that cannot be written or read; the message says why, and what would work."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CheckpointInfo:
    """All about a trained model but its weights."""

    name: str
    title: str
    variant: str
    """Name of the preset, or "custom"."""
    task: str
    """Name of the sample task, or of the user's file."""
    config: TransformerConfig
    tokenizers: Tokenizers
    training: Mapping[str, Any]
    """Record of the training, in plain JSON values."""
    scores: Mapping[str, Any]
    """What it reaches on held-out text, in plain JSON values."""

    def __post_init__(self) -> None:
        for side in ("source", "target"):
            size = getattr(self.config, f"{side}_vocab_size")
            known = getattr(self.tokenizers, side).vocab_size
            if size != known:
                raise ValueError(
                    f"{side}_vocab_size of the config must be the size of the {side} tokenizer, "
                    f"got {size} and {known}"
                )
        if self.config.pad_id != PAD_ID:
            raise ValueError(
                f"pad_id of the config must be the tokenizers', {PAD_ID}, got {self.config.pad_id}"
            )


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A trained model, in eval mode and without gradients, and all about it."""

    info: CheckpointInfo
    model: Transformer


def save_checkpoint(
    path_without_suffix: Path, model: Transformer, info: CheckpointInfo, *, half: bool = True
) -> None:
    """Write both files, each whole or not at all, over those of an earlier checkpoint.

    An interruption between the two leaves a pair that `load_checkpoint` refuses. With `half`,
    weights are stored as float16: half the size, about three decimal digits.
    """
    weights_path, json_path = _files(path_without_suffix)
    if model.config != info.config:
        raise CheckpointError(f"{weights_path}: the config given must be that of the model")
    weights = {
        name: tensor.detach().to("cpu", torch.float16 if half else torch.float32).contiguous()
        for name, tensor in stored_tensors(model).items()
    }
    try:
        check_finite(weights)
    except ValueError as error:
        larger = "; float16 ends at 65504, half=False holds larger ones" if half else ""
        _fail(weights_path, f"{error}{larger}", error)
    data = safetensors.torch.save(weights)
    values = _to_dict(info, hashlib.sha256(data).hexdigest())
    try:
        text = json.dumps(values, ensure_ascii=False, allow_nan=False, indent=1).encode()
    except (TypeError, ValueError, RecursionError) as error:
        _fail(json_path, f"training and scores must be plain JSON values: {error}", error)
    weights_path.parent.mkdir(parents=True, exist_ok=True)
    write_whole({weights_path: data, json_path: text})


def read_info(path: Path) -> CheckpointInfo:
    """Read all but the weights. `path` may be of either file, or have no suffix."""
    return _read_json(path)[0]


def load_checkpoint(path: Path, device: str | torch.device = "cpu") -> Checkpoint:
    """Read both files and check one against the other before the model is built, in float32."""
    info, sha256 = _read_json(path)
    weights_path, json_path = _files(path)
    data = _read(weights_path)
    try:
        weights = safetensors.torch.load(data)
    except Exception as error:  # the parser has no one type for all that a file can hold
        _fail(
            weights_path,
            f"not a whole safetensors file ({shorten(str(error))}); copy or train it again",
            error,
        )
    if hashlib.sha256(data).hexdigest() != sha256:
        _fail(
            weights_path,
            f"its sha256 is not the one in {json_path.name}: the two files must be of one "
            "training, and unchanged; copy both again",
        )
    try:
        check_weights(weights, info.config)
        check_finite(weights)
    except ValueError as error:
        _fail(weights_path, str(error), error)
    with torch.random.fork_rng(devices=[]):  # leave the caller's random numbers alone
        model = Transformer(info.config)
    with torch.no_grad():
        for name, tensor in stored_tensors(model).items():
            tensor.copy_(weights[name])
    return Checkpoint(info=info, model=model.to(device).eval().requires_grad_(False))


def list_checkpoints(folder: Path) -> list[Path]:
    """Find the checkpoints whose two files are there, as paths without suffix, sorted."""
    weights = {path.with_suffix("") for path in folder.glob("*.safetensors")}
    return sorted(weights & {path.with_suffix("") for path in folder.glob("*.json")})


def _files(path: Path) -> tuple[Path, Path]:
    stem = path.with_suffix("") if path.suffix in (".safetensors", ".json") else path
    return stem.with_name(f"{stem.name}.safetensors"), stem.with_name(f"{stem.name}.json")


def _fail(path: Path, message: str, cause: Exception | None = None) -> NoReturn:
    raise CheckpointError(f"{path}: {message}") from cause


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        _fail(path, "no such file; a checkpoint is NAME.safetensors and NAME.json together", error)
    except OSError as error:
        _fail(path, f"cannot be read ({error.strerror})", error)


def _to_dict(info: CheckpointInfo, sha256: str) -> dict[str, Any]:
    return {
        "format_version": FORMAT_VERSION,
        "name": info.name,
        "title": info.title,
        "variant": info.variant,
        "task": info.task,
        "config": info.config.to_dict(),
        "tokenizers": info.tokenizers.to_dict(),
        "training": dict(info.training),
        "scores": dict(info.scores),
        "sha256": sha256,
    }


def _read_json(path: Path) -> tuple[CheckpointInfo, str]:
    """Read the information, and the sha256 of the weights that belong to it."""
    _, json_path = _files(path)
    data = _read(json_path)
    try:
        values = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        _fail(json_path, f"not JSON ({shorten(str(error))}); copy it again", error)
    try:
        return _info(values), values["sha256"]
    except ValueError as error:
        _fail(json_path, str(error), error)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")


def _info(values: object) -> CheckpointInfo:
    version = values.get("format_version") if isinstance(values, dict) else None
    if type(version) is int and version != FORMAT_VERSION:
        newer = ": a newer version of this program wrote it" if version > FORMAT_VERSION else ""
        raise ValueError(f"format_version must be {FORMAT_VERSION}, got {version}{newer}")
    given = check_fields(values, _FIELDS, where="the checkpoint")
    return CheckpointInfo(
        name=given["name"],
        title=given["title"],
        variant=given["variant"],
        task=given["task"],
        config=_part("config", TransformerConfig.from_dict, given["config"]),
        tokenizers=_part("tokenizers", Tokenizers.from_dict, given["tokenizers"]),
        training=given["training"],
        scores=given["scores"],
    )


def _part(name: str, read: Callable[[dict[str, Any]], T], values: dict[str, Any]) -> T:
    try:
        return read(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"its {name} cannot be used: {error}") from error
