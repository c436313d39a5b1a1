"""How far an opened model is from the one that transformers makes of the same folder."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from model.imports.folder import look_into
from model.traces import present
from model.transformer import Transformer

_LENGTH = 32


def difference(path: Path, opened: Transformer) -> float:
    """Give the largest difference of what both compute of a few ids, as a share of the largest.

    Of logits; of hidden states where the model predicts nothing. Both compute in float32. Raises
    ImportError where transformers is missing, FolderError on a folder that is refused: what only
    transformers would follow is never handed to it.
    """
    import transformers

    look_into(path)
    kind = getattr(transformers, _kind(opened))
    original = kind.from_pretrained(
        path,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        attn_implementation="eager",
        dtype=torch.float32,
    ).eval()
    config = opened.config
    size = min(size for size in (config.source_vocab_size, config.target_vocab_size) if size)
    length = min(_LENGTH, config.max_length)
    ids = torch.randint(1, size, (1, length), generator=torch.Generator().manual_seed(0))
    ids[ids == config.pad_id] = (config.pad_id + 1) % size
    more = {"decoder_input_ids": ids} if config.has_cross_attention else {}
    with torch.inference_mode():
        theirs = _output(original(input_ids=ids, **more))
        trace = opened(ids if config.has_encoder else None, ids if config.has_decoder else None)
    ours = present(trace.encoder).output if trace.logits is None else trace.logits
    return ((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1)).item()


def _kind(opened: Transformer) -> str:
    if opened.config.has_decoder:
        translates = opened.config.has_cross_attention
        return "AutoModelForSeq2SeqLM" if translates else "AutoModelForCausalLM"
    return "AutoModel" if opened.config.head == "none" else "AutoModelForMaskedLM"


def _output(told: Any) -> Tensor:  # noqa: ANN401 - a record of transformers
    return told["logits"] if "logits" in told else told["last_hidden_state"]
