"""Compares a third-party model in Loupe with the one that transformers loads from its folder."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from model.foreign.imports.folder import look_into
from model.traces import present
from model.transformer import Transformer

_LENGTH = 32


def difference(path: Path, opened: Transformer) -> float:
    """Compute the difference of an opened model from transformers' model of the same folder.

    Both compute in the number type of the folder. Raises ImportError if transformers is missing,
    LookupError if it does not know the type of model, FolderError if Loupe refuses the folder, so
    that transformers never opens a folder that only it would accept.
    """
    import transformers

    model_type = look_into(path).config["model_type"]
    if model_type not in transformers.CONFIG_MAPPING:
        raise LookupError(f"transformers does not know models of the type {model_type}")
    kind = getattr(transformers, _kind(opened))
    original = kind.from_pretrained(
        path,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        attn_implementation="eager",
        dtype=next(opened.parameters()).dtype,
    ).eval()
    return apart(opened, original)


@torch.no_grad()
def apart(ours: Transformer, theirs: Any) -> float:  # noqa: ANN401 - a PreTrainedModel
    """Compute the largest difference of both outputs for a few ids, as a share of the largest one.

    The outputs are logits, or hidden states if the model predicts nothing.
    """
    config = ours.config
    size = min(size for size in (config.source_vocab_size, config.target_vocab_size) if size)
    rows = getattr(theirs.config, "max_position_embeddings", _LENGTH)  # the size of its table
    length = min(_LENGTH, config.max_length, rows)
    ids = torch.randint(1, size, (1, length), generator=torch.Generator().manual_seed(0))
    ids = ids.to(ours.device)
    more = {"decoder_input_ids": ids} if config.has_cross_attention else {}
    told = theirs(input_ids=ids, **more, return_dict=True)
    expected: Tensor | None = told.get("logits", told.get("last_hidden_state"))
    trace = ours(ids if config.has_encoder else None, ids if config.has_decoder else None)
    found = present(trace.encoder).output if trace.logits is None else trace.logits
    if expected is None or found.shape != expected.shape:  # its output is made of these states
        return 0.0
    return ((found - expected).abs().max() / expected.abs().max().clamp(min=1e-6)).item()


def _kind(opened: Transformer) -> str:
    if opened.config.has_decoder:
        translates = opened.config.has_cross_attention
        return "AutoModelForSeq2SeqLM" if translates else "AutoModelForCausalLM"
    return "AutoModel" if opened.config.head == "none" else "AutoModelForMaskedLM"
