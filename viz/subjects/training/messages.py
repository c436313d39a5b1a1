"""What the training process tells the page, and how the page reads it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool

from model.training.evaluation import Evaluation
from viz.run.axes import AttentionKind
from viz.subjects.training.time_lapse import Scores, Snapshot
from viz.work.messages import Message


class Setup(NamedTuple):
    """What stays the same from snapshot to snapshot."""

    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    masks: Mapping[AttentionKind, Bool[np.ndarray, "query key"]]


def pack_setup(setup: Setup) -> Message:
    """Write what stays the same."""
    return setup._asdict()


def read_setup(values: Mapping[str, Any]) -> Setup:
    """Read what `pack_setup` wrote."""
    return Setup(tuple(values["source_tokens"]), tuple(values["target_tokens"]), values["masks"])


def pack_snapshot(snapshot: Snapshot, found: Evaluation) -> Message:
    """Write a snapshot."""
    return {
        "step": snapshot.step,
        "written": snapshot.written,
        "right": snapshot.right,
        "scores": found.to_dict(),
        "weights": snapshot.weights,
    }


def read_snapshot(values: Mapping[str, Any]) -> Snapshot:
    """Read what `pack_snapshot` wrote."""
    return Snapshot(**{**values, "scores": Scores.of(values["scores"])})
