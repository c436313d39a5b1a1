"""What was recorded of a checkpoint, shown only where it was of the weights that are there now."""

from pathlib import Path
from typing import TypeVar

from sample_data.records import Record, read_record, record_path, weights_digest
from viz.run.inputs import Stamp

R = TypeVar("R", bound=Record)


def recorded_of(checkpoint: Stamp, kind: type[R]) -> R | None:
    """Read what was recorded; None where nothing was, or of other weights, or it is broken."""
    path = Path(checkpoint.path)
    try:
        found = read_record(record_path(kind, path.name), kind)
        return found if found and found.weights == weights_digest(path) else None
    except (OSError, ValueError):
        return None
