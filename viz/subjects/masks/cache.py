"""Batches of the mask laboratory and their runs, computed once for each choice."""

from model.presets import PRESETS
from texts import say
from viz.run import session
from viz.run.result_cache import cached
from viz.run.session import Stamp
from viz.run.view import Inputs
from viz.subjects.masks.batch import LabBatch, make_batch
from viz.subjects.masks.empty import EmptySource, fully_masked_row
from viz.subjects.masks.lab import LabRun, Switches, fill_name, run_lab


def mask_run(inputs: Inputs, texts: tuple[str, ...], switches: Switches) -> LabRun:
    """Run a batch of the mask laboratory under some switches, once."""
    return _mask_run(session.stamp(inputs.checkpoint), texts, switches, inputs.device)


def empty_sources(inputs: Inputs, *, every: bool) -> tuple[tuple[str, EmptySource], ...]:
    """Try a source of only padding: in this checkpoint with each fill, or in each variant."""
    if not every:
        found = _empty_source(session.stamp(inputs.checkpoint), inputs.source, inputs.device)
        fills = (fill_name(result.switches.fill) for result in found[1:])
        others = (say("masks.tried_all", fill=fill) for fill in fills)
        return tuple(zip((say("masks.tried_own"), *others), found, strict=True))
    task = session.read_info(inputs.checkpoint).task
    infos = {name: session.read_info(name) for name in session.checkpoint_names()}
    first = {i.variant: name for name, i in reversed(infos.items()) if i.task == task}
    return tuple(
        (variant, _empty_source(session.stamp(first[variant]), inputs.source, inputs.device)[0])
        for variant in sorted(first, key=[*PRESETS, "custom"].index)
    )


@cached
def _mask_batch(checkpoint: Stamp, texts: tuple[str, ...], device: str) -> LabBatch:
    return make_batch(session.load_stamped(checkpoint, device), texts)


@cached
def _mask_run(checkpoint: Stamp, texts: tuple[str, ...], switches: Switches, device: str) -> LabRun:
    batch = _mask_batch(checkpoint, texts, device)
    return run_lab(session.load_stamped(checkpoint, device), batch, switches)


@cached
def _empty_source(checkpoint: Stamp, text: str, device: str) -> tuple[EmptySource, ...]:
    return fully_masked_row(session.load_stamped(checkpoint, device), text)
