"""One checkpoint of each variant of a task, and what the demonstrations measured."""

from model.checkpoints.checkpoint import CheckpointError
from model.presets import PRESETS
from sample_data.tasks import TASKS, load_held_out
from viz.run import session
from viz.run.result_cache import cached
from viz.run.view import View
from viz.subjects.variants.demonstrations import DEMONSTRATIONS
from viz.subjects.variants.material import Material
from viz.subjects.variants.report import Report

_PAIRS = 32


def checkpoints_by_variant(task: str) -> dict[str, str]:
    """Return the first checkpoint of each variant of a task; broken ones are left out."""
    found: dict[str, str] = {}
    for name in session.checkpoint_names():
        try:
            info = session.read_info(name)
        except CheckpointError:
            continue
        if info.task == task and info.variant in PRESETS:
            found.setdefault(info.variant, name)
    return {variant: found[variant] for variant in PRESETS if variant in found}


def richest_task() -> tuple[str, dict[str, str]]:
    """Return the task with the most variants, and its checkpoints."""
    by_task = {task: checkpoints_by_variant(task) for task in TASKS}
    return max(by_task.items(), key=lambda item: len(item[1]))


def demonstrate(key: str, view: View) -> Report:
    """Measure one demonstration on the checkpoints of the task, once, and describe it."""
    names = checkpoints_by_variant(view.run.info.task)
    stamps = tuple(session.stamp(name) for name in names.values())
    task, inputs = view.run.info.task, view.inputs
    found = _measure(key, task, inputs.source, inputs.device, stamps)
    return DEMONSTRATIONS[key].say(found)


@cached
def _measure(
    key: str,
    task: str,
    source: str,
    device: str,
    stamps: tuple[session.Stamp, ...],  # noqa: ARG001 - part of the cache's key
) -> object:
    material = Material(
        checkpoints={
            variant: session.load_checkpoint(name, device)
            for variant, name in checkpoints_by_variant(task).items()
        },
        text=source,
        pairs=[(pair.source, pair.target) for pair in load_held_out(task)[:_PAIRS]],
    )
    return DEMONSTRATIONS[key].measure(material)
