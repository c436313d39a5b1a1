"""What the training process tells the page, as plain JSON values, and how the page reads it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool

from model.evaluation import Evaluation
from viz.run.record import KINDS, AttentionKind
from viz.subjects.training.time_lapse import Scores, Snapshot

_DIGITS = 4


class Setup(NamedTuple):
    """What stays the same from snapshot to snapshot."""

    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    masks: Mapping[AttentionKind, Bool[np.ndarray, "query key"]]


def pack_setup(setup: Setup) -> dict[str, Any]:
    """Write what stays the same."""
    return {
        "source_tokens": setup.source_tokens,
        "target_tokens": setup.target_tokens,
        "masks": {kind: mask.tolist() for kind, mask in setup.masks.items()},
    }


def read_setup(values: Mapping[str, Any]) -> Setup:
    """Read what `pack_setup` wrote."""
    return Setup(
        tuple(values["source_tokens"]),
        tuple(values["target_tokens"]),
        {kind: np.array(values["masks"][kind], dtype=bool) for kind in KINDS},
    )


def pack_snapshot(snapshot: Snapshot, found: Evaluation) -> dict[str, Any]:
    """Write a snapshot, its weights to four decimals."""
    return {
        "step": snapshot.step,
        "written": snapshot.written,
        "right": snapshot.right,
        "scores": found.to_dict(),
        "weights": {kind: w.round(_DIGITS).tolist() for kind, w in snapshot.weights.items()},
    }


def read_snapshot(values: Mapping[str, Any]) -> Snapshot:
    """Read what `pack_snapshot` wrote."""
    return Snapshot(
        step=values["step"],
        written=values["written"],
        right=values["right"],
        scores=Scores.of(values["scores"]),
        weights={kind: np.array(values["weights"][kind], dtype=np.float32) for kind in KINDS},
    )
