"""Compare every tensor of a saved transformers model with Loupe's model of the same folder."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models
from torch import Tensor, nn

from model.foreign.imports.load import open_folder
from model.traces import named_tensors
from model.transformer import Transformer
from tests.closeness import rooms

if TYPE_CHECKING:
    from model.foreign.recording import Attached

transformers = pytest.importorskip(
    "transformers", reason="needs transformers (requirements-dev.txt)"
)
huggingface = pytest.importorskip("model.foreign.recording", reason="needs what records others")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

VOCABULARY = 90
LENGTH = 12
PADDINGS = {
    "none": None,
    "one before, one behind": [[0, 0, 0, *[1] * 9], [*[1] * 8, 0, 0, 0, 0]],
    "behind": [[1] * LENGTH, [*[1] * 5, *[0] * 7]],
}


def sharp(model: nn.Module, seed: int) -> nn.Module:
    """Set weights so large that a missing mask changes every number; return the model."""
    made = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.25, generator=made)
        else:  # norms and biases differ too, so that none can be mistaken for another
            nn.init.normal_(parameter, 1.0 if "weight" in name else 0.0, 0.25, generator=made)
    model.tie_weights()
    return model.eval()


def save(model: nn.Module, folder: Path) -> Path:
    """Write a folder as transformers does, with a tokenizer of the same vocabulary size."""
    model.save_pretrained(folder)
    words = {f"w{i}": i for i in range(model.config.vocab_size)}
    (folder / "tokenizer.json").write_text(Tokenizer(models.WordLevel(words, "w0")).to_str())
    read_as_it_is(folder)
    return folder


def read_as_it_is(folder: Path) -> None:
    """Name the tokenizer class that reads tokenizer.json as it is, for any model."""
    about = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))


def build(kind: str, settings: Mapping[str, Any]) -> nn.Module:
    """Build a transformers model, given its class names and settings."""
    model_class, config_class = kind.split()
    config = getattr(transformers, config_class)(**settings)
    return getattr(transformers, model_class)(config).eval()


@cache
def texts() -> Tensor:
    return torch.randint(3, VOCABULARY, (2, LENGTH), generator=torch.Generator().manual_seed(9))


def check_every_tensor(model: nn.Module, folder: Path, *, seeds: int = 2) -> set[str]:
    """Save, open and compare a model with several weights and paddings; return the tensor names."""
    sharp(model, 0)
    with huggingface.attached(model, input_ids=texts()) as ready:
        for seed in range(seeds):
            opened = open_folder(save(sharp(model, seed), folder / str(seed))).model
            for padding in PADDINGS.values():
                found = differences(ready, opened, padding)
                worst = max(found, key=found.__getitem__)
                assert found[worst] <= 1, (seed, worst, found[worst])
    return set(found)


def differences(
    ready: "Attached", opened: Transformer, padding: list[list[int]] | None
) -> dict[str, float]:
    """Return the error of each tensor in rows without padding, as a share of the allowed error."""
    real = torch.ones(2, LENGTH, dtype=torch.bool)
    asked = {"input_ids": texts()}
    if padding is not None:
        real = torch.tensor(padding).bool()
        asked["attention_mask"] = real.long()
    mask = opened.target_mask(texts()) & real[:, None]
    mask = mask | torch.eye(LENGTH, dtype=torch.bool)  # rows of padding must read something
    with torch.inference_mode():
        theirs = dict(named_tensors(ready.record(**asked)))
        ours = dict(named_tensors(opened(None, texts(), target_mask=mask)))
    seen = mask & real[:, None] & real[:, :, None]
    return {
        name: _difference(name, theirs[name], ours[name], allowed, real, seen)
        for name, allowed in rooms(theirs)
        if name in ours
    }


def _difference(
    name: str, theirs: Tensor, ours: Tensor, allowed: np.ndarray, real: Tensor, seen: Tensor
) -> float:
    assert theirs.shape == ours.shape, name
    off = torch.where(theirs == ours, 0.0, (theirs - ours).abs() / torch.from_numpy(allowed))
    if name.endswith(("scores", "weights")):
        off = off.masked_fill(~seen[:, None], 0.0)
    elif off.dim() == 4:
        off = off.transpose(1, 2)[real]
    elif off.dim() == 3 and off.size(0) == 2:
        off = off[real]
    return off.max().item()
