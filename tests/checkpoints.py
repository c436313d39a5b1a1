"""Checkpoints for the tests of the app: tiny models that know a few sentences by heart."""

import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.config import TransformerConfig
from model.presets import PRESETS, preset
from model.text.stand_ins import StandIns
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from sample_data.tasks import TASKS
from tests.tiny import shaken

SHIPPED = Path(__file__).parents[1] / "sample_data" / "checkpoints"
VARIANTS_TASK = "everyday"
VARIANTS = {name: f"{VARIANTS_TASK}-{name}" for name in PRESETS} | {
    "paper": f"{VARIANTS_TASK}-paper-0",
    "learned": f"{VARIANTS_TASK}-learned",
}
"""The shipped checkpoint of each variant, and one with learned positions, all of one task."""
FIRST = TASKS["everyday"].examples[0]
"""The sentence that the app shows first."""
DEFAULT = "the animal did not cross the street because it was too tired ."
"""The same sentence as its tokens are written."""
BY_HEART = {
    DEFAULT: "l' animal n' a pas traversé la rue parce qu' il était trop fatigué .",
    "the cat sleeps .": "le chat dort .",
    "the dog sees the cat .": "le chien voit le chat .",
}
DIGITS = {"reverse 3 1 4 1 5 9": "9 5 1 4 1 3", "copy 7 0 7": "7 0 7"}


@functools.cache
def load_shipped(name: str) -> Checkpoint:
    """Load a shipped checkpoint once for all tests; tests must not change it."""
    return load_checkpoint(SHIPPED / name)


STAND_INS = StandIns(
    nouns=("<x1>",),
    plurals=("<x1s>",),
    names=("<n1>",),
    numbers=("<d1>",),
    noun_after=frozenset({"the"}),
    verb_after=frozenset({"not"}),
)
CARRIED = {
    "the <x1> is broken .": "le <x1> est cassé .",
    "<n1> does not see the <x1s> .": "<n1> ne voit pas les <x1s> .",
    "see <d1>": "donne -moi <d1>",
}


ONE_TEXT = "the cat sees the dog and the house"
"""A text that contains one word twice and that the one-text models read whole."""
_ONE_STACK: dict[str, Any] = {
    "d_model": 32,
    "n_heads": 4,
    "d_k": 8,
    "d_v": 8,
    "dropout": 0.0,
    "max_length": 64,
}
_GPT = {**_ONE_STACK, "source_vocab_size": 0, "n_encoder_layers": 0, "n_decoder_layers": 2}
ONE_TEXT_MODELS: dict[str, dict[str, Any]] = {
    "tiny-gpt": {
        **_GPT,
        "d_ff": 64,
        "n_kv_heads": 2,
        "positions": "rotary",
        "norm": "rms",
        "norm_placement": "pre",
        "final_norm": True,
        "activation": "silu",
        "gated": True,
    },
    "tiny-bert": {
        **_ONE_STACK,
        "target_vocab_size": 0,
        "n_encoder_layers": 2,
        "n_decoder_layers": 0,
        "d_ff": 64,
        "positions": "learned",
        "activation": "gelu",
        "segments": 2,
        "embedding_norm": True,
        "head": "transform",
    },
    "tiny-alibi": {
        **_GPT,
        "d_ff": 0,
        "positions": "alibi",
        "norm_placement": "parallel",
        "window": 4,
    },
}
"""A decoder alone, an encoder alone, and an attention-only decoder with parallel blocks."""


def write_one_text(folder: Path) -> Path:
    """Write the three one-text models, with random weights that tell positions apart."""
    texts = ["the cat sees the dog . the dog sees the cat .", "a man and a house and the door"]
    tokenizers = Tokenizers.train(texts, texts, source_kind="word", target_kind="word", shared=True)
    size = tokenizers.target.vocab_size
    for name, values in ONE_TEXT_MODELS.items():
        config = TransformerConfig(
            **({"source_vocab_size": size, "target_vocab_size": size} | values)
        )
        torch.manual_seed(0)
        info = CheckpointInfo(
            name=name,
            title=name,
            variant="custom",
            task="own",
            config=config,
            tokenizers=tokenizers,
        )
        save_checkpoint(folder / name, shaken(Transformer(config)), info, half=False)
    return folder


def write_carrying(folder: Path) -> Path:
    """Write a model that copies unknown words into its translation."""
    _make(folder, "everyday", "paper", CARRIED, best_head=None, stand_ins=STAND_INS)
    return folder


def write_checkpoints(folder: Path) -> Path:
    """Write the three models: two variants of one task, and a deeper one for another task."""
    for name in ("everyday-paper", "everyday-headlist", "digits-paper"):
        for path in _trained().glob(f"{name}.*"):
            shutil.copy(path, folder)
    return folder


@functools.cache
def _trained() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="loupe-tests-"))
    _make(folder, "everyday", "paper", BY_HEART, best_head={"layer": 1, "head": 2})
    _make(folder, "everyday", "headlist", BY_HEART, best_head=None)
    _make(folder, "digits", "paper", DIGITS, best_head=None, n_decoder_layers=3, n_heads=2)
    return folder


def _make(
    folder: Path,
    task: str,
    variant: str,
    pairs: dict[str, str],
    best_head,
    stand_ins: StandIns | None = None,
    **sizes,
) -> None:
    torch.manual_seed(0)
    tokenizers = Tokenizers.train(
        pairs.keys(),
        pairs.values(),
        source_kind="word",
        target_kind="word",
        shared=False,
        stand_ins=stand_ins,
    )
    config = preset(
        variant,
        source_vocab_size=tokenizers.source.vocab_size,
        target_vocab_size=tokenizers.target.vocab_size,
        **{
            "d_model": 48,
            "d_ff": 64,
            "n_heads": 4,
            "n_encoder_layers": 2,
            "n_decoder_layers": 2,
            "tying": "none",
            **sizes,
        },
    )
    model = Transformer(config).eval()
    _learn_by_heart(model, tokenizers, pairs)
    name = f"{task}-{variant}"
    info = CheckpointInfo(
        name=name,
        title=f"{TASKS[task].title}, {variant}",
        variant=variant,
        task=task,
        config=config,
        tokenizers=tokenizers,
        scores={"best_head": best_head},
    )
    save_checkpoint(folder / name, model, info, half=False)


@torch.inference_mode()
def _learn_by_heart(model: Transformer, tokenizers: Tokenizers, pairs: dict[str, str]) -> None:
    """Solve for the generator weights that map a random model's states to the targets.

    There are fewer positions than dimensions, so an exact solution exists. Neighbouring tokens get
    different probabilities, so that tests can tell one step from the next.
    """
    states, tokens = [], []
    for source, target in pairs.items():
        source_ids = tokenizers.encode_source(source, typed=False).ids
        ids = tokenizers.encode_target(target, typed=False).ids
        for end in range(1, len(ids)):
            trace = model(torch.tensor([source_ids]), torch.tensor([ids[:end]]))
            states.append(trace.decoder.output[0, -1])
            tokens.append(ids[end])
    logits = torch.full((len(tokens), tokenizers.target.vocab_size), -3.0)
    sure = torch.arange(len(tokens)) * 0.618 % 1  # golden ratio: neighbours are far apart
    logits[range(len(tokens)), tokens] = 2 + 2 * sure
    model.generator.weight.copy_(torch.linalg.lstsq(torch.stack(states), logits).solution.T)
    model.generator.bias.zero_()
