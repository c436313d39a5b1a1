"""Folders with config files from the Hub, reduced in size; see hub_configs/README.md."""

import json
from pathlib import Path
from typing import Any

import torch
import transformers

from tests.model.foreign.imports.folders import byte_tokenizer
from tests.model.foreign.imports.oracle import read_as_it_is, sharp

CONFIGS = Path(__file__).parent / "hub_configs"
NAMES = tuple(sorted(path.stem for path in CONFIGS.glob("*.json")))
_IDS = torch.randint(4, 300, (1, 14), generator=torch.Generator().manual_seed(1))


def read_hub_config(name: str) -> dict[str, Any]:
    return json.loads((CONFIGS / f"{name}.json").read_text())


def write_hub_folder(folder: Path, said: dict[str, Any]) -> Path:
    """Write a model of a config with sharp weights, and the config unchanged."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(said))
    config = transformers.AutoConfig.from_pretrained(folder)
    config.dtype = "float32"
    model = kind_of(said)(config)
    tables = [m for m in model.modules() if "Sinusoidal" in type(m).__name__]
    fixed = [m.weight for m in tables if hasattr(m, "weight")]
    kept = [weight.clone() for weight in fixed]
    sharp(model, 0)
    for weight, formula in zip(fixed, kept, strict=True):
        weight.data.copy_(formula)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "config.json").write_text(json.dumps(said))
    (folder / "tokenizer.json").write_text(byte_tokenizer().to_str())
    read_as_it_is(folder)
    return folder


def kind_of(said: dict[str, Any]) -> Any:
    """Return the transformers class that a config names, or the bare model if it names none."""
    kinds = said.get("architectures")
    if kinds:
        return getattr(transformers, kinds[0])
    return transformers.AutoModel._model_mapping[transformers.CONFIG_MAPPING[said["model_type"]]]


def writes(said: dict[str, Any]) -> bool:
    """Return whether a model continues texts or translates them."""
    kinds = ("CausalLM", "LMHeadModel", "ConditionalGeneration", "MTModel")
    return said.get("architectures", [""])[0].endswith(kinds)


def read_by_transformers(folder: Path, said: dict[str, Any]) -> Any:
    """Let transformers open a folder with its own eager attention."""
    how = {"attn_implementation": "eager", "dtype": torch.float32}
    return kind_of(said).from_pretrained(folder, **how).eval()


def ids_with(id: int) -> torch.Tensor:
    """Return ids of a text with one id as the first token, the last and one inside."""
    ids = _IDS.clone()
    ids[0, [0, 5, -1]] = id
    return ids


@torch.no_grad()
def difference(opened: Any, original: Any, ids: torch.Tensor = _IDS) -> float:
    """Return the largest difference from the original's output, relative to its largest number.

    The original is called as with its tokenizer's output: a mask says that all ids are tokens.
    """
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if original.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids.flip(1)[:, :9]
    told = original(**inputs)
    config = opened.info.config
    trace = opened.model(
        ids if config.has_encoder else None,
        inputs.get("decoder_input_ids", ids) if config.has_decoder else None,
    )
    found, expected = trace.logits, told.get("logits")
    if found is None or expected is None or found.shape != expected.shape:
        stack = trace.decoder or trace.encoder
        found, states = stack.output, original(**inputs, output_hidden_states=True)
        expected = states.get("decoder_hidden_states", states.get("hidden_states"))[-1]
    return ((found - expected).abs().max() / expected.abs().max()).item()
