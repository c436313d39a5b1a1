"""Models of others against transformers' own code: `python -m qa.benchmarks.models`.

Each is made with random weights, saved as transformers saves it and opened as the app opens it.
Prints a Markdown table: the largest difference of the logits and of any named tensor, as a share of
the tensor's largest number; of 32 tokens, how many both write alike; CPU seconds of one forward
pass at several lengths, transformers' eager attention / ours with its whole trace; what a trace
keeps at the longest. Needs transformers, and runs on one thread.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models
from torch import Tensor, nn

from model.huggingface import record
from model.imports.family import importers
from model.imports.load import open_folder
from model.traces import TransformerTrace, named_tensors
from model.transformer import Transformer

VOCABULARY = 8_000
LENGTHS = (16, 64, 256)
WRITTEN = 32
REPEATS = 5
_SIZES = {
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 6,
    "intermediate_size": 1536,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
}
_GROUPED = _SIZES | {"num_key_value_heads": 2}
_TWO_STACKS = {
    "d_model": 384,
    "encoder_layers": 3,
    "decoder_layers": 3,
    "encoder_attention_heads": 6,
    "decoder_attention_heads": 6,
    "encoder_ffn_dim": 1536,
    "decoder_ffn_dim": 1536,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "decoder_start_token_id": 2,
}
_GPT2 = {
    "n_embd": 384,
    "n_layer": 6,
    "n_head": 6,
    "vocab_size": VOCABULARY,
    "n_positions": 512,
    "pad_token_id": 0,
}
_T5 = {
    "d_model": 384,
    "d_kv": 64,
    "num_heads": 6,
    "num_layers": 3,
    "d_ff": 1536,
    "vocab_size": VOCABULARY,
    "decoder_start_token_id": 0,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "GPT-2": ("GPT2LMHeadModel", "GPT2Config", _GPT2),
    "Llama, 6 heads on 2": ("LlamaForCausalLM", "LlamaConfig", _GROUPED),
    "Llama 3's positions": (
        "LlamaForCausalLM",
        "LlamaConfig",
        _GROUPED | {"rope_parameters": _LLAMA3},
    ),
    "Mistral, window of 32": (
        "MistralForCausalLM",
        "MistralConfig",
        _GROUPED | {"sliding_window": 32},
    ),
    "Qwen2": ("Qwen2ForCausalLM", "Qwen2Config", _GROUPED),
    "GPT-NeoX": ("GPTNeoXForCausalLM", "GPTNeoXConfig", _SIZES),
    "BERT": ("BertForMaskedLM", "BertConfig", _SIZES),
    "BART": ("BartForConditionalGeneration", "BartConfig", _TWO_STACKS),
    "T5": ("T5ForConditionalGeneration", "T5Config", _T5),
}
"""By name, two classes of transformers and the fields of the config."""


@dataclass(frozen=True)
class Pair:
    """One model, twice."""

    theirs: nn.Module
    ours: Transformer

    def run_theirs(self, ids: Tensor) -> Tensor:
        """Run transformers' own forward pass; the decoder of two stacks reads the same ids."""
        more = {"decoder_input_ids": ids} if self.translates else {}
        return self.theirs(input_ids=ids, **more).logits

    def run_ours(self, ids: Tensor) -> TransformerTrace:
        """Run ours, which always makes a trace."""
        config = self.ours.config
        return self.ours(ids if config.has_encoder else None, ids if config.has_decoder else None)

    @property
    def translates(self) -> bool:
        """Whether there are two stacks."""
        return self.ours.config.has_cross_attention


def make(name: str, folder: Path) -> Pair | None:
    """Make, save and open one; None where there is no importer of its family."""
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    kind, config_kind, settings = MODELS[name]
    config = getattr(transformers, config_kind)(**settings)
    if config.model_type not in importers():
        return None
    theirs = getattr(transformers, kind)(config).eval()
    theirs.set_attn_implementation("eager")
    for parameter in theirs.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.08)  # sharp, and yet no number grows large
    theirs.tie_weights()
    theirs.save_pretrained(folder)
    words = {f"w{i}": i for i in range(VOCABULARY)}
    (folder / "tokenizer.json").write_text(Tokenizer(models.WordLevel(words, "w0")).to_str())
    return Pair(theirs, open_folder(folder).model)


def differences(pair: Pair, ids: Tensor) -> tuple[float, float, int]:
    """Give the largest difference of logits and of all tensors, and count these."""
    more = {"decoder_input_ids": ids} if pair.translates else {}
    theirs = dict(named_tensors(record(pair.theirs, input_ids=ids, **more)))
    ours = dict(named_tensors(pair.run_ours(ids)))
    off = {
        name: ((ours[name] - tensor).abs().max() / tensor.abs().max().clamp(min=1)).item()
        for name, tensor in theirs.items()
        if name in ours and tensor.is_floating_point()
    }
    return off["logits"], max(off.values()), len(off)


def alike(pair: Pair, ids: Tensor) -> str:
    """Count how many tokens both write alike, greedily."""
    if not pair.ours.config.has_decoder:
        return "–"
    written = pair.theirs.generate(
        input_ids=ids, do_sample=False, max_new_tokens=WRITTEN, min_new_tokens=WRITTEN, num_beams=1
    )[0]
    start = 1 if pair.translates else ids.size(1)
    source = ids if pair.translates else None
    logits = pair.ours(source, written[None, :-1]).logits[0, start - 1 :]
    ours = logits.argmax(dim=-1)
    return f"{int((ours == written[start:]).sum())} of {len(ours)}"


def cpu_seconds(call: Callable[[], object]) -> float:
    """Give the least CPU time of several calls."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def kept(pair: Pair, ids: Tensor) -> float:
    """Give the megabytes of all tensors that a trace keeps; scores are not kept."""
    found = {n: t for n, t in named_tensors(pair.run_ours(ids)) if not n.endswith(".scores")}
    storages = {
        t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in found.values()
    }
    return sum(storages.values()) / 1e6


def row(name: str, pair: Pair) -> str:
    """Measure one model."""
    made = torch.Generator().manual_seed(0)
    texts = [torch.randint(3, VOCABULARY, (1, length), generator=made) for length in LENGTHS]
    logits, all_tensors, count = differences(pair, texts[1])
    times = [
        f"{cpu_seconds(partial(pair.run_theirs, text)):.3f} / "
        f"{cpu_seconds(partial(pair.run_ours, text)):.3f}"
        for text in texts
    ]
    cells = (
        name,
        f"{logits:.1e}",
        f"{all_tensors:.1e} of {count}",
        alike(pair, texts[0]),
        *times,
        f"{kept(pair, texts[-1]):.0f} MB",
    )
    return f"| {' | '.join(cells)} |"


@torch.inference_mode()
def main() -> None:
    """Print a row for each family that can be opened."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    lengths = [f"{length} tokens, s" for length in LENGTHS]
    heads = ("model", "logits", "any tensor", "written alike", *lengths, "trace")
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            if pair := make(name, Path(folder)):
                print(row(name, pair), flush=True)


if __name__ == "__main__":
    main()
