"""The JSON file of a checkpoint: the description of a trained model, and a digest."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from model.checkpoints.training_record import check_scores, check_training
from model.config import TransformerConfig
from model.files.json_fields import check_fields
from model.files.plain_json import read_object
from model.text.tokenizer import Tokenizers

T = TypeVar("T")

FORMAT_VERSION = 3
"""The current version. Older ones can be read: 1 had no digest of the JSON itself, 2 had no
8-bit weights and no vocabulary in one text."""

_FIELDS_OF_1: dict[str, type] = {
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
_WHERE = "the checkpoint"
_DIGEST = "json_sha256"
_FIELDS = {**_FIELDS_OF_1, _DIGEST: str}


@dataclass(frozen=True, kw_only=True, eq=False)
class CheckpointInfo:
    """The description of a trained model: everything except its weights."""

    name: str
    title: str
    variant: str
    """The name of the preset, or "custom"."""
    task: str
    """The name of the sample task, or of the user's file."""
    config: TransformerConfig
    tokenizers: Tokenizers
    training: Mapping[str, Any] = field(default_factory=dict)
    """The record of the training, in plain JSON values."""
    scores: Mapping[str, Any] = field(default_factory=dict)
    """The scores on held-out text, in plain JSON values."""
    commit: str = ""
    """The commit of a model from the Hugging Face Hub, otherwise "". It is never saved."""

    @property
    def called(self) -> str:
        """The name, with the commit of a model from the Hub."""
        return f"{self.name} (commit {self.commit[:7]})" if self.commit else self.name

    @property
    def best_head(self) -> tuple[int, int] | None:
        """The layer and head of the cross-attention that aligns best; None if unknown."""
        match self.scores.get("best_head"):
            case {"layer": int(layer), "head": int(head)} if (
                0 <= layer < self.config.n_decoder_layers and 0 <= head < self.config.n_heads
            ):
                return layer, head
            case _:
                return None

    @classmethod
    def of_others(
        cls,
        name: str,
        config: TransformerConfig,
        tokenizers: Tokenizers,
        *,
        kind: str = "",
        commit: str = "",
    ) -> "CheckpointInfo":
        """Describe a model that was not trained here, by its name and kind."""
        return cls(
            name=name,
            title=f"{name} ({kind})" if kind else name,
            variant="custom",
            task="",
            config=config,
            tokenizers=tokenizers,
            commit=commit,
        )

    def __post_init__(self) -> None:
        for side in ("source", "target"):
            size = getattr(self.config, f"{side}_vocab_size")
            known = getattr(self.tokenizers, side).vocab_size
            if size and size != known:
                raise ValueError(
                    f"{side}_vocab_size of the config must be the size of the {side} tokenizer, "
                    f"got {size} and {known}"
                )
        pad = self.tokenizers.target.specials.pad
        if pad is not None and self.config.pad_id != pad:
            raise ValueError(
                f"pad_id of the config must be {pad}, as in the tokenizers, "
                f"got {self.config.pad_id}"
            )


def write_info(info: CheckpointInfo, sha256: str) -> bytes:
    """Write the description, with the sha256 of the weights and of the JSON itself.

    Raises ValueError if `read_info` could not read it.
    """
    values = {
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
    try:
        values = read_object(json.dumps(values, allow_nan=False).encode(), where=_WHERE)
        check_training(values["training"])
        check_scores(values["scores"], info.config)
        values[_DIGEST] = _digest(values)
        return _laid_out(values).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"training and scores must be plain JSON values: {error}") from error


def _laid_out(values: Mapping[str, Any]) -> str:
    """Write one line per field, so that lists of thousands of words or losses stay on one line."""
    lines = (
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for name, value in values.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_info(data: bytes) -> tuple[CheckpointInfo, str]:
    """Read the description, and the sha256 of its weights."""
    given = _checked(read_object(data, where=_WHERE))
    config = _part("config", TransformerConfig.from_dict, given["config"])
    tokenizers = _part("tokenizers", Tokenizers.from_dict, given["tokenizers"])
    check_training(given["training"])
    check_scores(given["scores"], config)
    info = CheckpointInfo(
        name=given["name"],
        title=given["title"],
        variant=given["variant"],
        task=given["task"],
        config=config,
        tokenizers=tokenizers,
        training=given["training"],
        scores=given["scores"],
    )
    return info, given["sha256"]


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """Check version, fields and digest."""
    version = values.get("format_version")
    if version is not None:
        check_fields({"format_version": version}, {"format_version": int}, where=_WHERE)
        if not 1 <= version <= FORMAT_VERSION:
            newer = ": a newer version of this program wrote it" if version > FORMAT_VERSION else ""
            raise ValueError(
                f"format_version must be from 1 to {FORMAT_VERSION}, got {version}{newer}"
            )
    fields = _FIELDS_OF_1 if version in (None, 1) else _FIELDS
    given = check_fields(values, fields, where=_WHERE)
    if _DIGEST in given and given[_DIGEST] != _digest(given):
        raise ValueError(
            f"its {_DIGEST} is not that of its contents: it was changed or damaged; copy it again"
        )
    return given


def _digest(values: Mapping[str, Any]) -> str:
    """Hash all values except the digest, whatever the layout of the file."""
    rest = {name: value for name, value in values.items() if name != _DIGEST}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _part(name: str, read: Callable[[dict[str, Any]], T], values: dict[str, Any]) -> T:
    try:
        return read(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"its {name} cannot be used: {error}") from error
