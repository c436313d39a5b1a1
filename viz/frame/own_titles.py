"""The titles of the app's own checkpoints: by their task, their variant and their seed."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from model.checkpoints.metadata import CheckpointInfo
from sample_data.one_text.tasks import task_title
from texts import named, say, speaking
from viz.frame import words
from viz.models.guest_models import held
from viz.models.own_checkpoints import info_of, kept_names


def own_titles(names: Sequence[str]) -> dict[str, str]:
    """Return the title of each checkpoint by its name; no two are the same."""
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
    """Name a checkpoint: "The paper, seed 1 · English to French".

    Args:
        task: Its name.
        what: What is peculiar to the model.
        seed: Its place among those that differ in nothing else; None where there are none.
        alone: Whether the task has no other checkpoint: then its title says it all.
    """
    if alone:
        return task_title(task)
    if seed is not None:
        what = say("frame.with_seed", what=what, seed=seed + 1)
    return f"{what[:1].upper()}{what[1:]} · {task_title(task)}"


def _what(info: CheckpointInfo) -> str:
    """Describe what is peculiar to a model; of one that is no preset, what its title adds."""
    if info.variant in words.VARIANTS:
        return words.variant_title(info.variant)
    with speaking("en"):  # in which the titles of checkpoints are stored
        task = task_title(info.task)
    known = named("task.adds", info.title.rpartition(", ")[2])
    return known or info.title.removeprefix(task).strip(" ,") or info.variant


def distinct(titles: dict[str, str]) -> dict[str, str]:
    """Put the name behind a title that several have."""
    counts = Counter(titles.values())
    return {n: t if counts[t] == 1 else f"{t} ({n})" for n, t in titles.items()}
