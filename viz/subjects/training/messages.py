"""Messages from the training process to the page, and functions that read them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool

from model.training.evaluation import Evaluation
from viz.run.axes import AttentionKind
from viz.subjects.training.time_lapse import Scores, Snapshot
from viz.work.messages import Message


class Setup(NamedTuple):
    """The facts that are equal for all snapshots."""

    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    masks: Mapping[AttentionKind, Bool[np.ndarray, "query key"]]


def pack_setup(setup: Setup) -> Message:
    """Write the facts that are equal for all snapshots."""
    return setup._asdict()


def read_setup(values: Mapping[str, Any]) -> Setup:
    """Read the message of `pack_setup`."""
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
    """Read the message of `pack_snapshot`."""
    return Snapshot(**{**values, "scores": Scores.of(values["scores"])})
