"""What was recorded of a checkpoint, shown only where it was of the weights that are there now."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from sample_data.examples import weights_digest
from viz.run.session import Stamp


@runtime_checkable
class Recorded(Protocol):
    """What a file holds of a checkpoint."""

    @property
    def weights(self) -> str:
        """SHA-256 of the file of its weights."""
        ...


R = TypeVar("R", bound=Recorded)


def recorded_of(
    checkpoint: Stamp, path_of: Callable[[str], Path], read: Callable[[Path], R | None]
) -> R | None:
    """Read what was recorded; None where nothing was, or of other weights, or it is broken."""
    path = Path(checkpoint.path)
    try:
        found = read(path_of(path.name))
        return found if found and found.weights == weights_digest(path) else None
    except (OSError, ValueError):
        return None
