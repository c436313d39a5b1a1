"""The records about a checkpoint, which count only if they are about its present weights."""

from pathlib import Path
from typing import TypeVar

from sample_data.records import Record, read_record, record_path, weights_digest
from viz.run.inputs import Stamp

R = TypeVar("R", bound=Record)


def recorded_of(checkpoint: Stamp, kind: type[R]) -> R | None:
    """Read a record; None if there is none, if it is broken, or about other weights."""
    path = Path(checkpoint.path)
    try:
        found = read_record(record_path(kind, path.name), kind)
        return found if found and found.weights == weights_digest(path) else None
    except (OSError, ValueError):
        return None
