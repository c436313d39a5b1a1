"""Records all measurements of trained checkpoints over held-out sentences.

python -m sample_data.evaluate NAME [NAME ...]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from model.checkpoints.checkpoint import load_checkpoint
from sample_data.measures import SENTENCES, record
from sample_data.one_text.heads import measure_heads
from sample_data.one_text.tasks import TEXT_TASKS
from sample_data.records import Record, record_path, weights_digest, write_record
from sample_data.tasks import load_held_out

_CHECKPOINTS = Path(__file__).parent / "checkpoints"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m sample_data.evaluate")
    parser.add_argument(
        "names", nargs="+", metavar="NAME", help="a checkpoint in sample_data/checkpoints"
    )
    for name in parser.parse_args(arguments).names:
        found = _record(_CHECKPOINTS / name)
        path = record_path(type(found), name)
        write_record(path, found)
        sys.stdout.write(f"wrote {path}\n")


def _record(path: Path) -> Record:
    checkpoint, weights = load_checkpoint(path), weights_digest(path)
    task = checkpoint.info.task
    if task in TEXT_TASKS:
        return measure_heads(checkpoint, weights)
    return record(checkpoint, load_held_out(task)[:SENTENCES], weights)


if __name__ == "__main__":
    main()
