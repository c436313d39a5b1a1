"""Batches of the mask laboratory and their runs, computed once for each choice."""

from viz.run.view import View, per_model
from viz.subjects.masks.batch import LabBatch, make_batch
from viz.subjects.masks.lab import LabRun, Switches, run_lab


@per_model
def mask_run(view: View, texts: tuple[str, ...], switches: Switches) -> LabRun:
    """Run a batch of the mask laboratory under some switches, once."""
    return run_lab(view.checkpoint, _mask_batch(view, texts), switches)


@per_model
def _mask_batch(view: View, texts: tuple[str, ...]) -> LabBatch:
    return make_batch(view.checkpoint, texts)
