"""The titles of all listed models: checkpoints and third-party models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from texts import say
from viz.frame.own_titles import distinct, own_titles
from viz.models import planning
from viz.models.folders import PREFIX

if TYPE_CHECKING:
    from model.foreign.huggingface import Recording
    from model.foreign.imports.plan import Plan


def checkpoint_titles(names: Sequence[str]) -> dict[str, str]:
    """Return a different title for each model, by its name."""
    own = own_titles([name for name in names if not name.startswith(PREFIX)])
    return distinct({name: own.get(name) or _folder_title(name) for name in names})


def _folder_title(name: str) -> str:
    return folder_title(name.removeprefix(PREFIX), planning.planned(name))


def folder_title(shown: str, planned: "Plan | Recording | str") -> str:
    """Return the title of a model folder with its kind, or one that says it cannot be opened."""
    if isinstance(planned, str):
        return say("frame.refused_title", name=shown)
    kind = say("frame.recorded_kind", kind=planned.title) if planned.is_recorded else planned.title
    return say("frame.folder_title", name=shown, kind=kind, memory=planned.estimate.in_words)
