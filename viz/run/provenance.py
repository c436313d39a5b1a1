"""Where what is in view comes from: what every file that leaves the app says of itself."""

import platform
from datetime import UTC, datetime
from typing import TypedDict

import numpy as np
import torch

from model.interventions.kinds import Intervention
from viz.run.version import version
from viz.run.view import View


class Provenance(TypedDict):
    """All that it takes to make the same numbers again."""

    app: str
    checkpoint: str
    sha256: str | None
    """Of its weights as they lie on disk; None where they are no file of Loupe's."""
    source: str
    target: str
    """As the model wrote it, or as it was given."""
    given: bool
    decoding: str
    edits: list[str]
    """In words."""
    device: str
    torch: str
    numpy: str
    python: str
    again: str
    """Lines of Python that make the run again."""


def now() -> datetime:
    """Return the time at which a file is made: the one clock of all files, for tests to replace."""
    return datetime.now(UTC)


def provenance(view: View, *, sha256: str | None, again: str) -> Provenance:
    """Return where a run comes from.

    Args:
        view: The run in view, with its changes.
        sha256: Of its checkpoint's weights, where these are a file.
        again: Lines of Python that make it again.
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
