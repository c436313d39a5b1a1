"""Checkpoints and runs for tests of lessons, loaded from files instead of a page."""

from functools import cache, lru_cache
from pathlib import Path

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.checkpoints.checkpoint_files import list_checkpoints
from model.files.json_fields import shorten
from model.interventions.kinds import Intervention
from tests.checkpoints import SHIPPED
from viz.lessons.faults import nearest, refuse
from viz.run.making import make_run
from viz.run.record import Run


class FileRuns:
    """Loads the checkpoints of a folder and runs them on the CPU; caches the latest ones."""

    def __init__(self, folder: Path = SHIPPED) -> None:
        self._folder = folder
        self.checkpoint = lru_cache(8)(self._load)
        self.run = lru_cache(64)(self._run)

    def _load(self, name: str) -> Checkpoint:
        paths = (*list_checkpoints(self._folder), *list_checkpoints(self._folder / "time-lapse"))
        known = [path.relative_to(self._folder).as_posix() for path in paths]
        if name not in known:
            raise refuse("checkpoint", "no_checkpoint", nearest(name, known), name=shorten(name))
        return load_checkpoint(self._folder / name)

    def _run(
        self, name: str, source: str, target: str, interventions: tuple[Intervention, ...]
    ) -> Run:
        return make_run(self.checkpoint(name), source, target, interventions)


@cache
def shipped_runs() -> FileRuns:
    """Return the runs of the shipped checkpoints, which all tests of lessons share."""
    return FileRuns()
