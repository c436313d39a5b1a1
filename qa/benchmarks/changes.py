"""The cost of a run by its number of changes: `python -m qa.benchmarks.changes [--most N]`.

All changes act on one tensor, as lines pulled on Touch do, so each changes the result of the one
before. Each run takes turns with a run with one change, and their CPU times are compared.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch

from model.attribution.ablation import sweep
from model.attribution.sublayers import Cut, heads
from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.interventions.kinds import Intervention
from qa.benchmarks.rows import Row, show
from qa.benchmarks.trace import take_turns
from viz.address.changes import MOST_CHANGES
from viz.run.making import make_run
from viz.run.record import Run

COUNTS = (1, 2, 4, 8, 12, 16, 20, 24)
SOURCE = "the animal did not cross the street because it was too tired ."
CHECKPOINT = Path("sample_data/checkpoints/everyday-paper-0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=6.0, help="how long to measure each number of changes"
    )
    parser.add_argument(
        "--most", type=int, default=MOST_CHANGES, help="number of changes in the last row"
    )
    args = parser.parse_args()
    torch.set_num_threads(1)
    print("everyday-paper-0, 14 words, drags of different words in one attention, one thread")
    show(rows(args.seconds, args.most))


def rows(seconds: float, most: int) -> Iterator[Row]:
    """Compare the cost of a run, and of cutting all its heads, with that of one change."""
    loaded = load_checkpoint(CHECKPOINT)
    for what, act in (("a run", run_with), ("a cut of each head", sweep_with)):
        for count in (count for count in COUNTS if count <= most):
            both = {"one": partial(act, loaded, 1), "some": partial(act, loaded, count)}
            turns = take_turns(both, seconds=seconds, clock=time.process_time)
            one, some = (1e3 * statistics.median(turns[name]) for name in ("one", "some"))
            yield Row(f"{what} with {count} changes", some, "ms", one, "one change", aim=2.0)


def pulls(count: int) -> tuple[Intervention, ...]:
    """Return so many pulls of lines, each of another word."""
    name = "encoder.layers.1.self_attn.weights"
    return tuple(
        Intervention("point", name, 3, rows=(row % 13,), columns=((row + 5) % 13,), amount=0.9)
        for row in range(count)
    )


def run_with(loaded: Checkpoint, count: int) -> Run:
    """Translate the sentence with so many changes."""
    return make_run(loaded, SOURCE, interventions=pulls(count))


def sweep_with(loaded: Checkpoint, count: int) -> object:
    """Cut each head of the run with so many changes in turn."""
    run = run_with(loaded, count)
    cuts: list[Cut] = [(), *((one,) for one in heads(run.info.config))]
    return sweep(loaded.model, run.source.ids, run.target_ids, cuts, base=run.edits)


if __name__ == "__main__":
    main()
