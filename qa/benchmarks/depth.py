"""Deep stacks, the norm after or before the residual, recorded: `python -m qa.benchmarks.depth`.

Trains every model of RUNS on reversing digits, for a few hundred steps, and writes the loss and the
norm of the gradient of each layer for the page on training. Some five minutes on one core.
"""

import argparse
import dataclasses
import json
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from model.config import TransformerConfig
from model.files.durable import write_whole
from model.presets import preset
from model.text.corpus import Example, make_example
from model.text.tokenizer import Tokenizers
from model.training.loop import Recipe, Trainer, new_model, unigram_loss
from sample_data.digits import carry_out
from sample_data.pairs import Pair
from viz.subjects.training.depth import RECORD

COMMAND = "python -m qa.benchmarks.depth"
LOSS_EVERY = 10
GRADIENTS_AT = (1, 10, 50, 100, 200, 300)
LENGTHS = range(3, 9)
PAIRS = 6000
SIZES = {"d_model": 32, "d_ff": 128, "n_heads": 4}
BATCH_SIZE = 64


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One model to train: all the others differ from it in these four alone."""

    layers: int
    """Of the encoder and of the decoder."""
    norm_placement: str
    warmup: int
    """1 for none: the rate then falls from the first step on."""
    factor: float = 0.3


RUNS = (
    Choice(layers=2, norm_placement="post", warmup=100),
    Choice(layers=6, norm_placement="post", warmup=100),
    Choice(layers=12, norm_placement="post", warmup=100),
    Choice(layers=12, norm_placement="post", warmup=100, factor=0.1),
    Choice(layers=12, norm_placement="post", warmup=1, factor=0.03),
    Choice(layers=12, norm_placement="pre", warmup=100),
    Choice(layers=12, norm_placement="pre", warmup=1, factor=0.03),
)
"""Without a warm-up, a tenth of the factor: the rate then begins at the peak of the others."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--out", type=Path, default=RECORD)
    args = parser.parse_args()
    torch.set_num_threads(1)
    if hasattr(os, "nice"):
        os.nice(10)
    tokenizers, examples = make_corpus()
    smoothing = Recipe().label_smoothing
    unigram = unigram_loss(examples, smoothing, make_config(RUNS[0], tokenizers))
    runs = [record(run, tokenizers, examples, args.steps) for run in RUNS]
    values = {
        "command": COMMAND,
        "task": f"reverse {LENGTHS[0]} to {LENGTHS[-1]} digits",
        **SIZES,
        "batch_size": BATCH_SIZE,
        "steps": args.steps,
        "loss_every": LOSS_EVERY,
        "label_smoothing": smoothing,
        "unigram_loss": round(unigram, 4),
        "runs": runs,
    }
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_whole({args.out: (json.dumps(values) + "\n").encode()})


def make_corpus() -> tuple[Tokenizers, list[Example]]:
    """Make digits to reverse, the same at each call."""
    rng = random.Random(0)
    pairs: list[Pair] = [
        carry_out("reverse", rng.choices("0123456789", k=rng.choice(LENGTHS))) for _ in range(PAIRS)
    ]
    tokenizers = Tokenizers.train(
        [pair.source for pair in pairs],
        [pair.target for pair in pairs],
        source_kind="word",
        target_kind="word",
        shared=True,
    )
    return tokenizers, [make_example(tokenizers, pair.source, pair.target) for pair in pairs]


def make_config(run: Choice, tokenizers: Tokenizers) -> TransformerConfig:
    """Make the paper's model in small, of the depth and with the norm of a run."""
    return preset(
        "paper",
        **SIZES,
        source_vocab_size=tokenizers.source.vocab_size,
        target_vocab_size=tokenizers.target.vocab_size,
        n_encoder_layers=run.layers,
        n_decoder_layers=run.layers,
        norm_placement=run.norm_placement,
        final_norm=run.norm_placement == "pre",
    )


def record(
    run: Choice, tokenizers: Tokenizers, examples: Sequence[Example], steps: int
) -> dict[str, Any]:
    """Train one model; give its loss and its gradients as plain JSON values."""
    recipe = Recipe(steps=steps, batch_size=BATCH_SIZE, warmup=run.warmup, factor=run.factor)
    model = new_model(make_config(run, tokenizers), recipe.seed)
    trainer = Trainer(model, examples, recipe)
    start = time.perf_counter()
    losses: list[float] = []
    gradients: dict[int, dict[str, list[float]]] = {}
    for step in range(1, steps + 1):
        losses.append(trainer.step().loss)
        if step in GRADIENTS_AT:
            stacks = {"encoder": model.encoder, "decoder": model.decoder}
            gradients[step] = {
                name: [gradient_norm(layer) for layer in stack.layers]
                for name, stack in stacks.items()
            }
    print(f"{run}: loss {losses[-1]:.3f}, {time.perf_counter() - start:.0f} s", flush=True)
    return {
        **dataclasses.asdict(run),
        "losses": [
            round(sum(losses[at : at + LOSS_EVERY]) / len(losses[at : at + LOSS_EVERY]), 4)
            for at in range(0, steps, LOSS_EVERY)
        ],
        "gradients": gradients,
    }


def gradient_norm(module: nn.Module) -> float:
    """Euclidean norm of the last gradient of all parameters together, to four digits."""
    squares = [p.grad.double().square().sum() for p in module.parameters() if p.grad is not None]
    return float(f"{torch.stack(squares).sum().sqrt().item():.4g}")


if __name__ == "__main__":
    main()
