"""A training, packed for the player in the browser: the weights of its heads beside its curves."""

from typing import Any

import numpy as np
import pyarrow as pa

from viz.run.axes import AttentionKind, attention_name
from viz.run.codes import encode_weights
from viz.run.titles import axis_titles
from viz.subjects.training.time_lapse import TimeLapse
from viz.subjects.training.wire import WireLapse


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
