"""A training that plays in the browser: the attention of a head beside curves with a cursor."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import streamlit as st

from viz.pictures.component import picture
from viz.run.axes import AttentionKind, attention_name
from viz.run.codes import encode_weights
from viz.run.titles import axis_titles
from viz.subjects.training.time_lapse import TimeLapse
from viz.subjects.training.wire import WireHeadOfLapse, WireLapse

_SENT = {"head": WireHeadOfLapse, "rest": int}
_lapse = picture("lapse", "subjects/training/browser/lapse.js", sends=_SENT)


def show_lapse(
    lapse: TimeLapse,
    kind: AttentionKind,
    layer: int,
    head: int,
    *,
    languages: tuple[str, str],
    key: str,
    at: int | None = None,
    follow: bool = False,
    on_choice: Callable[[], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> None:
    """Show a training at one of its snapshots, the last one unless `at` names a step.

    With `follow`, later snapshots are shown as they arrive. `on_choice` is called when a head was
    chosen in the picture, `on_stop` when the player stopped elsewhere.
    """
    data = pack_lapse(lapse, kind, languages)
    data["meta"] |= {"layer": layer, "head": head, "at": at, "follow": follow}
    _lapse(
        key=key,
        data=data,
        on_head_change=on_choice or _ignore,
        on_rest_change=on_stop or _ignore,
    )


def pack_lapse(lapse: TimeLapse, kind: AttentionKind, languages: tuple[str, str]) -> dict[str, Any]:
    """Pack all heads of one kind at all snapshots as bytes, everything else as plain values."""
    weights = np.stack([snapshot.weights[kind] for snapshot in lapse.snapshots])
    rows, columns = lapse.axis_tokens(kind)
    row_title, column_title = axis_titles(kind, languages)
    scores = [snapshot.scores for snapshot in lapse.snapshots]
    meta: WireLapse = {
        "steps": [snapshot.step for snapshot in lapse.snapshots],
        "total": lapse.steps,
        "written": [snapshot.written for snapshot in lapse.snapshots],
        "right": [snapshot.right for snapshot in lapse.snapshots],
        "loss": {"steps": lapse.loss_steps, "values": lapse.losses, "rates": lapse.rates},
        "heldOut": [score.loss for score in scores],
        "exact": [score.exact_match for score in scores],
        "alignment": [
            {"layer": layer, "head": head, "values": [score.heads[layer, head] for score in scores]}
            for layer, head in sorted(scores[-1].heads)
        ],
        "chance": scores[-1].chance,
        "kind": kind,
        "name": attention_name(kind, 0).replace(".0.", ".{layer}."),
        "layers": weights.shape[1],
        "heads": weights.shape[2],
        "rowTokens": rows,
        "columnTokens": columns,
        "rowTitle": row_title,
        "columnTitle": column_title,
    }
    codes = encode_weights(weights, lapse.masks[kind])
    return {"meta": meta, "codes": pa.table({"code": codes.ravel()})}


def chosen_head(key: str) -> tuple[int, int]:
    """Return the (layer, head) for which a callback was called."""
    chosen = st.session_state[key]["head"]
    return chosen["layer"], chosen["head"]


def rested_at(key: str) -> int:
    """Return the step at which the player stopped."""
    return st.session_state[key]["rest"]


def _ignore() -> None:
    """Ignore the browser's messages."""
