"""The provenance of a run, which every file that the app exports contains."""

import platform
from datetime import UTC, datetime
from typing import TypedDict

import numpy as np
import torch

from model.interventions.kinds import Intervention
from viz.run.version import version
from viz.run.view import View


class Provenance(TypedDict):
    """Everything needed to compute the same numbers again."""

    app: str
    checkpoint: str
    sha256: str | None
    """Hash of its weight file; None for a model that has no file of Loupe's."""
    source: str
    target: str
    """The text that the model wrote, or the given one."""
    given: bool
    decoding: str
    edits: list[str]
    """The changes, in words."""
    device: str
    torch: str
    numpy: str
    python: str
    again: str
    """Lines of Python that compute the run again."""


def now() -> datetime:
    """Return the time at which a file is made: the one clock for files, which tests replace."""
    return datetime.now(UTC)


def provenance(view: View, *, sha256: str | None, again: str) -> Provenance:
    """Return the provenance of a run.

    Args:
        view: The run in view, with its changes.
        sha256: The hash of its checkpoint's weights, if they are a file.
        again: Lines of Python that compute the run again.
    """
    run = view.run
    return {
        "app": f"Loupe {version()}",
        "checkpoint": view.inputs.checkpoint,
        "sha256": sha256,
        "source": run.source_text,
        "target": run.text,
        "given": run.given,
        "decoding": "forced" if run.given else "greedy, without sampling",
        "edits": [_said(each, view) for each in view.inputs.interventions],
        "device": view.inputs.device,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "again": again,
    }


def dated(said: Provenance) -> dict[str, object]:
    """Add the time at which a file is made."""
    return {**said, "date": now().isoformat()}


def _said(change: Intervention, view: View) -> str:
    return change.text(view.run.source.tokens, view.run.target_tokens)
