"""A checkpoint for tests that change its files, and functions to change them."""

import hashlib
import json
from pathlib import Path

import pytest
import safetensors.torch

from model.checkpoints.checkpoint import load_checkpoint
from model.checkpoints.errors import CheckpointError
from model.checkpoints.metadata import CheckpointInfo
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.tiny import shaken, tiny_model

TOKENIZERS = Tokenizers.train(
    ["a b c d"], ["e f g"], source_kind="word", target_kind="word", shared=True
)
"""11 tokens, the same number as in the tiny model."""


def info_of(model: Transformer, **changes) -> CheckpointInfo:
    fields = {
        "name": "tiny",
        "title": "A tiny model",
        "variant": "paper",
        "task": "nothing",
        "config": model.config,
        "tokenizers": TOKENIZERS,
        "training": {
            **{"steps": 3, "step": 3, "warmup": 4, "factor": 0.5, "seed": 0},
            **{"losses": [3.0, 2.5], "loss_every": 2},
        },
        "scores": {"exact": 0.5, "places": {"decoder.layers.1.cross_attn": [0.1, 1]}},
    }
    return CheckpointInfo(**(fields | changes))


def large_model() -> Transformer:
    """Return a model whose tied embedding table has more than 100,000 numbers."""
    return shaken(tiny_model(source_vocab_size=6251, target_vocab_size=6251))


def large_info(model: Transformer) -> CheckpointInfo:
    words = [f"w{i:04}" for i in range(6251 - 4)]
    kinds = {"source_kind": "word", "target_kind": "word"}
    return info_of(model, tokenizers=Tokenizers.train(words, words, shared=True, **kinds))


def edit_json(path: Path, **changes) -> None:
    """Set fields of the JSON; a double underscore enters an object, None removes a field."""
    file = path.with_suffix(".json")
    values = json.loads(file.read_text())
    for name, value in changes.items():
        *parents, last = name.split("__")
        part = values
        for parent in parents:
            part = part[parent]
        if value is None:
            del part[last]
        else:
            part[last] = value
    file.write_text(json.dumps(values | digest_of(values)))


def digest_of(values: dict) -> dict:
    """Return the digest that fits the other fields, if the file has one."""
    rest = {name: value for name, value in values.items() if name != "json_sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    digest = {"json_sha256": hashlib.sha256(text.encode("ascii")).hexdigest()}
    return digest if values.keys() != rest.keys() else {}


def write_weights(path: Path, data: bytes) -> None:
    """Replace the weights and update their sha256."""
    path.with_suffix(".safetensors").write_bytes(data)
    edit_json(path, sha256=hashlib.sha256(data).hexdigest())


def edit_weights(path: Path, change) -> None:
    weights = safetensors.torch.load_file(path.with_suffix(".safetensors"))
    change(weights)
    write_weights(path, safetensors.torch.save(weights))


def refusal(path: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(path)
    return str(caught.value)
