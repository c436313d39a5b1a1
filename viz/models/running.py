"""Runs models on texts, each combination once for all sessions."""

from collections.abc import Sequence

from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.errors import CheckpointError
from model.interventions.kinds import Intervention
from texts import say
from viz.models.averages import averages
from viz.models.material import material_of
from viz.models.opening import open_stamped
from viz.models.stamps import stamp
from viz.run.inputs import Inputs, Stamp, run_key
from viz.run.making import make_run
from viz.run.payload import Payload, pack_run
from viz.run.record import Run, is_finite
from viz.run.recorded_run import make_recorded_run
from viz.run.result_cache import cached
from viz.run.view import View


def open_view(inputs: Inputs) -> View:
    """Run a model on a sentence, once for all sessions, and pack the run for the browser.

    Raises ValueError for an intervention that cannot be made in this model.
    """
    name, source, target, device, changed = inputs
    checkpoint = stamp(name)
    return View(
        inputs,
        _run_model(checkpoint, source, target, device, changed),
        _run_parcel(checkpoint, source, target, device, changed),
        open_stamped(checkpoint, device),
        checkpoint,
        open_view,
    )


@cached
def _run_model(
    checkpoint: Stamp,
    source: str,
    target: str,
    device: str,
    interventions: tuple[Intervention, ...] = (),
) -> Run:
    def other_run(origin: str) -> Run:
        texts = (origin, "") if origin else (source, target)
        return _run_model(checkpoint, *texts, device)

    loaded = open_stamped(checkpoint, device)
    if not isinstance(loaded, Checkpoint):
        if interventions:
            raise ValueError("values that transformers' own code computes cannot be changed here")
        return _finite(make_recorded_run(loaded, source, target), interventions)
    material = material_of(loaded.info.config, lambda: averages(loaded, checkpoint), other_run)
    return _finite(make_run(loaded, source, target, interventions, material), interventions)


def _finite(run: Run, interventions: Sequence[Intervention]) -> Run:
    """Return a run whose numbers are finite. Raises ValueError if they are not."""
    if is_finite(run):
        return run
    if interventions:
        raise ValueError(say("change.not_finite"))
    raise CheckpointError(say("run.not_finite", name=run.info.name))


@cached
def _run_parcel(
    checkpoint: Stamp,
    source: str,
    target: str,
    device: str,
    interventions: tuple[Intervention, ...],
) -> Payload:
    run = _run_model(checkpoint, source, target, device, interventions)
    return pack_run(run, run_key(*checkpoint[:2], source, target, device, *interventions))
