"""Batches of the mask laboratory and their runs, computed once for each choice."""

from viz.models import session
from viz.models.session import Stamp
from viz.run.inputs import Inputs
from viz.run.result_cache import cached
from viz.subjects.masks.batch import LabBatch, make_batch
from viz.subjects.masks.lab import LabRun, Switches, run_lab


def mask_run(inputs: Inputs, texts: tuple[str, ...], switches: Switches) -> LabRun:
    """Run a batch of the mask laboratory under some switches, once."""
    return _mask_run(session.stamp(inputs.checkpoint), texts, switches, inputs.device)


@cached
def _mask_batch(checkpoint: Stamp, texts: tuple[str, ...], device: str) -> LabBatch:
    return make_batch(session.load_stamped(checkpoint, device), texts)


@cached
def _mask_run(checkpoint: Stamp, texts: tuple[str, ...], switches: Switches, device: str) -> LabRun:
    batch = _mask_batch(checkpoint, texts, device)
    return run_lab(session.load_stamped(checkpoint, device), batch, switches)
