"""The titles of the app's own checkpoints, from their task, variant and seed."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from model.checkpoints.metadata import CheckpointInfo
from sample_data.one_text.tasks import task_title
from texts import named, say, speaking
from viz.frame import words
from viz.models.guest_models import held
from viz.models.own_checkpoints import info_of, kept_names


def own_titles(names: Sequence[str]) -> dict[str, str]:
    """Return a different title for each checkpoint, by its name."""
    kept = set(kept_names())
    own = [name for name in names if not held(name)]
    infos = {name: info for name in own if (info := info_of(name))}
    families: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, info in infos.items():
        if name not in kept:
            families[info.task, _what(info)].append(name)
    tasks = Counter(task for task, _ in families for _ in families[task, _])
    titles = {name: name for name in names}
    for (task, what), members in families.items():
        for place, name in enumerate(members):
            seed = place if len(members) > 1 else None
            alone = tasks[task] == 1
            titles[name] = _checkpoint_title(task, what, seed=seed, alone=alone)
    for name in kept & infos.keys():
        info = infos[name]
        titles[name] = words.own_title(info.title, info.training.get("step"))
    for name in names:
        if found := held(name):
            titles[name] = say("frame.held_title", title=found.info.title)
    return distinct(titles)


def _checkpoint_title(task: str, what: str, *, seed: int | None, alone: bool) -> str:
    """Return the title of a checkpoint: "The paper, seed 1 · English to French".

    Args:
        task: The name of its task.
        what: The distinctive feature of the model.
        seed: Its number among checkpoints that are otherwise alike; None if there are no others.
        alone: Whether the task has no other checkpoint, so that its title is enough.
    """
    if alone:
        return task_title(task)
    if seed is not None:
        what = say("frame.with_seed", what=what, seed=seed + 1)
    return f"{what[:1].upper()}{what[1:]} · {task_title(task)}"


def _what(info: CheckpointInfo) -> str:
    """Describe the distinctive feature of a model; if it is not a preset, from its own title."""
    if info.variant in words.VARIANTS:
        return words.variant_title(info.variant)
    with speaking("en"):  # the language of stored titles
        task = task_title(info.task)
    known = named("task.adds", info.title.rpartition(", ")[2])
    return known or info.title.removeprefix(task).strip(" ,") or info.variant


def distinct(titles: dict[str, str]) -> dict[str, str]:
    """Add the name to each title that several models have."""
    counts = Counter(titles.values())
    return {n: t if counts[t] == 1 else f"{t} ({n})" for n, t in titles.items()}
