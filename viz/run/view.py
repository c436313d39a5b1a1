"""What a page is given: a finished run, the same run packed for the browser, and its model."""

from typing import NamedTuple

from model.transformer import Transformer
from viz.run.parcel import Parcel
from viz.run.record import Run


class Inputs(NamedTuple):
    """What a run was made of: it names the run, for the caches."""

    checkpoint: str
    source: str
    target: str
    """Empty where the model wrote it."""
    device: str


class View(NamedTuple):
    """All that a page draws from. Shared by all sessions, so nobody changes it."""

    inputs: Inputs
    run: Run
    parcel: Parcel
    model: Transformer
    """The one that ran, for its parameters; pages do not run it."""
