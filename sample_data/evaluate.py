"""Records all that is measured of trained checkpoints over held-out sentences.

python -m sample_data.evaluate NAME [NAME ...]
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from model.checkpoints.checkpoint import load_checkpoint
from sample_data.atlas import measure
from sample_data.find_examples import find_examples
from sample_data.measures import SENTENCES, record
from sample_data.one_text.heads import measure_heads
from sample_data.one_text.tasks import TEXT_TASKS
from sample_data.records import Record, record_path, weights_digest, write_record
from sample_data.tasks import load_held_out, make_held_out

_CHECKPOINTS = Path(__file__).parent / "checkpoints"
_MORE = 10_000
"""Sentences that are searched for examples of decoding, where those of the file have none."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m sample_data.evaluate")
    parser.add_argument("names", nargs="+", metavar="NAME", help="of a checkpoint beside this")
    for name in parser.parse_args(arguments).names:
        for found in _records(_CHECKPOINTS / name):
            path = record_path(type(found), name)
            write_record(path, found)
            sys.stdout.write(f"wrote {path}\n")


def _records(path: Path) -> Iterator[Record]:
    checkpoint, weights = load_checkpoint(path), weights_digest(path)
    task = checkpoint.info.task
    if task in TEXT_TASKS:
        yield measure_heads(checkpoint, weights)
        return
    pairs = load_held_out(task)
    yield measure(checkpoint, pairs, weights)
    yield record(checkpoint, pairs[:SENTENCES], weights)
    examples = find_examples(checkpoint, pairs, weights)
    if not examples.beam:  # few sentences are wrong: more that are held out have more of them
        examples = find_examples(checkpoint, make_held_out(task, _MORE), weights)
    yield examples


if __name__ == "__main__":
    main()
