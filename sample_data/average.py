"""The mean of checkpoints of related trainings, which translates better than the last (6.1).

python -m sample_data.average runs/everyday-007000 runs/everyday-008000 --name everyday-paper-0
"""

import argparse
import copy
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from model.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointError,
    load_checkpoint,
    save_checkpoint,
)
from model.training.evaluation import evaluate
from model.training.warm_start import take_weights
from model.transformer import Transformer
from sample_data.tasks import TASKS
from sample_data.training_corpus import held_out_examples


def average(checkpoints: Sequence[Checkpoint]) -> Checkpoint:
    """Return the last checkpoint with the mean of all their weights, in float32.

    Its record has the steps of all. A word that only the last one knows keeps its weights there.
    Raises ValueError where they are not of one training, nor of trainings one of which began with
    the weights of another, or both with the same: the mean of two others is none.
    """
    if len(checkpoints) < 2:
        raise ValueError(f"an average needs at least 2 checkpoints, got {len(checkpoints)}")
    *others, last = checkpoints
    sums = {name: weight.double() for name, weight in last.model.state_dict().items()}
    for other in others:
        if not _are_of_one_training(other, last):
            raise ValueError(
                f"{other.info.name} and {last.info.name} must be of one training: they differ in "
                "config, tokenizers or seed, and neither began with the weights of the other"
            )
        same_words = copy.deepcopy(last.model)
        take_weights(same_words, last.info.tokenizers, other)
        for name, weight in same_words.state_dict().items():
            sums[name] += weight.double()
    model = Transformer(last.info.config).eval()
    model.load_state_dict({name: total / len(checkpoints) for name, total in sums.items()})
    steps = [checkpoint.info.training.get("step") for checkpoint in checkpoints]
    training = {**last.info.training, "averaged_steps": steps}
    return Checkpoint(dataclasses.replace(last.info, training=training), model)


def _are_of_one_training(a: Checkpoint, b: Checkpoint) -> bool:
    """Return whether two are of one training, or of ones that began with the same weights."""
    one, other = a.info, b.info
    alike = one.config == other.config and one.tokenizers == other.tokenizers
    if alike and one.training.get("seed") == other.training.get("seed"):
        return True
    began = [{info.name, info.training.get("start_from")} - {None} for info in (one, other)]
    return bool(began[0] & began[1])


def score(checkpoint: Checkpoint) -> Checkpoint:
    """Return it with its scores on all that its task holds out."""
    info = checkpoint.info
    held_out = held_out_examples(TASKS[info.task], info.tokenizers)
    scores = evaluate(checkpoint.model, held_out).to_dict()
    return Checkpoint(dataclasses.replace(info, scores=scores), checkpoint.model)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m sample_data.average", description=__doc__)
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
