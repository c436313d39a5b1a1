"""Deep stacks, the norm after or before the residual, recorded: `python -m qa.benchmarks.depth`.

Trains every model of RUNS on reversing digits, for a few hundred steps, and writes the loss and the
norm of the gradient of each layer for the page on training. Some five minutes on one core.
"""

import json
import random
import time
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
from viz.subjects.training.depth import RECORD

STEPS, LOSS_EVERY = 300, 10
GRADIENTS_AT = (1, 10, 50, 100, 200, 300)
LENGTHS = range(3, 9)
PAIRS = 6000
SIZES = {"d_model": 32, "d_ff": 128, "n_heads": 4}
BATCH_SIZE = 64
NAMES = ("layers", "norm_placement", "warmup", "factor")
"""In what the models differ; a warm-up of 1 is none: the rate then falls from the first step on."""
RUNS = (
    (2, "post", 100, 0.3),
    (6, "post", 100, 0.3),
    (12, "post", 100, 0.3),
    (12, "post", 100, 0.1),
    (12, "post", 1, 0.03),
    (12, "pre", 100, 0.3),
    (12, "pre", 1, 0.03),
)
"""Without a warm-up, a tenth of the factor: the rate then begins at the peak of the others."""


def main() -> None:
    torch.set_num_threads(1)
    rng = random.Random(0)
    pairs = [
        carry_out("reverse", rng.choices("0123456789", k=rng.choice(LENGTHS))) for _ in range(PAIRS)
    ]
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    tokenizers = Tokenizers.train(
        sources, targets, source_kind="word", target_kind="word", shared=True
    )
    examples = [make_example(tokenizers, pair.source, pair.target) for pair in pairs]
    choices = [dict(zip(NAMES, run, strict=True)) for run in RUNS]
    smoothing = Recipe().label_smoothing
    unigram = unigram_loss(examples, smoothing, make_config(choices[0], tokenizers))
    values = {
        "command": "python -m qa.benchmarks.depth",
        "task": f"reverse {LENGTHS[0]} to {LENGTHS[-1]} digits",
        **SIZES,
        "batch_size": BATCH_SIZE,
        "steps": STEPS,
        "loss_every": LOSS_EVERY,
        "label_smoothing": smoothing,
        "unigram_loss": round(unigram, 4),
        "runs": [record(choice, make_config(choice, tokenizers), examples) for choice in choices],
    }
    write_whole({RECORD: (json.dumps(values) + "\n").encode()})


def make_config(choice: dict[str, Any], tokenizers: Tokenizers) -> TransformerConfig:
    """Make the paper's model in small, of the depth and with the norm of a run."""
    return preset(
        "paper",
        **SIZES,
        source_vocab_size=tokenizers.source.vocab_size,
        target_vocab_size=tokenizers.target.vocab_size,
        n_encoder_layers=choice["layers"],
        n_decoder_layers=choice["layers"],
        norm_placement=choice["norm_placement"],
        final_norm=choice["norm_placement"] == "pre",
    )


def record(
    choice: dict[str, Any], config: TransformerConfig, examples: list[Example]
) -> dict[str, Any]:
    """Train one model; give its loss and its gradients as plain JSON values."""
    rate = {name: choice[name] for name in ("warmup", "factor")}
    recipe = Recipe(steps=STEPS, batch_size=BATCH_SIZE, **rate)
    model = new_model(config, recipe.seed)
    trainer = Trainer(model, examples, recipe)
    start = time.perf_counter()
    losses: list[float] = []
    gradients: dict[int, dict[str, list[float]]] = {}
    for step in range(1, STEPS + 1):
        losses.append(trainer.step().loss)
        if step in GRADIENTS_AT:
            gradients[step] = {
                name: [gradient_norm(layer) for layer in getattr(model, name).layers]
                for name in ("encoder", "decoder")
            }
    print(f"{choice}: loss {losses[-1]:.3f}, {time.perf_counter() - start:.0f} s", flush=True)
    parts = [losses[at : at + LOSS_EVERY] for at in range(0, STEPS, LOSS_EVERY)]
    means = [round(sum(part) / len(part), 4) for part in parts]
    return {**choice, "losses": means, "gradients": gradients}


def gradient_norm(module: nn.Module) -> float:
    """Euclidean norm of the last gradient of all parameters together, to four digits."""
    squares = [p.grad.double().square().sum() for p in module.parameters() if p.grad is not None]
    return float(f"{torch.stack(squares).sum().sqrt().item():.4g}")


if __name__ == "__main__":
    main()
