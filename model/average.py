"""The mean of several checkpoints of one training, which translates better than the last (6.1).

python -m model.average runs/everyday-007000 runs/everyday-008000 --name everyday-paper-0
"""

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from model.checkpoint import Checkpoint, CheckpointError, load_checkpoint, save_checkpoint
from model.evaluation import evaluate
from model.training_corpus import held_out_examples
from model.transformer import Transformer
from sample_data.tasks import TASKS


def average(checkpoints: Sequence[Checkpoint]) -> Checkpoint:
    """Return the last checkpoint with the mean of all their weights, in float32.

    Its record has the steps of all. Raises ValueError where they are not of one model: the mean of
    two trainings is none.
    """
    if len(checkpoints) < 2:
        raise ValueError(f"an average needs at least 2 checkpoints, got {len(checkpoints)}")
    *_, last = checkpoints
    for other in checkpoints:
        of_one = (
            other.info.config == last.info.config
            and other.info.tokenizers == last.info.tokenizers
            and other.info.training.get("seed") == last.info.training.get("seed")
        )
        if not of_one:
            raise ValueError(
                f"{other.info.name} and {last.info.name} must be of one training: they differ in "
                "config, tokenizers or seed"
            )
    states = [checkpoint.model.state_dict() for checkpoint in checkpoints]
    mean = {name: torch.stack([s[name] for s in states]).mean(dim=0) for name in states[-1]}
    model = Transformer(last.info.config).eval()
    model.load_state_dict(mean)
    steps = [checkpoint.info.training.get("step") for checkpoint in checkpoints]
    training = {**last.info.training, "averaged_steps": steps}
    return Checkpoint(dataclasses.replace(last.info, training=training), model)


def score(checkpoint: Checkpoint) -> Checkpoint:
    """Return it with its scores on all that its task holds out."""
    info = checkpoint.info
    held_out = held_out_examples(TASKS[info.task], info.tokenizers)
    scores = evaluate(checkpoint.model, held_out).to_dict()
    return Checkpoint(dataclasses.replace(info, scores=scores), checkpoint.model)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m model.average", description=__doc__)
    parser.add_argument("checkpoints", nargs="+", type=Path, help="snapshots, the last one last")
    parser.add_argument("--name", required=True, help="of the checkpoint to write")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="its folder (runs)")
    options = parser.parse_args(arguments)
    try:
        mean = score(average([load_checkpoint(path) for path in options.checkpoints]))
    except (CheckpointError, ValueError, KeyError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    info = dataclasses.replace(mean.info, name=options.name)
    save_checkpoint(options.out / options.name, mean.model, info)
    sys.stdout.write(f"held-out exact match {info.scores['exact_match']:.3f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
