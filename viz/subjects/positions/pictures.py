"""The pictures of positions that the browser draws: a number for each position, and waves."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
import pyarrow as pa
import streamlit as st
from jaxtyping import Float

from viz.pictures.component import picture
from viz.subjects.positions.table import PositionTable
from viz.subjects.positions.wire import WireNumber, WirePositionMap, WireWaves

_SENT = {"choose": WireNumber}
_map = picture("position_map", "subjects/positions/browser/position_map.js", sends=_SENT)
_waves = picture("waves", "subjects/positions/browser/waves.js", sends=_SENT)
PICKED = ("positions_pos", "positions_dim")
"""The fields of the number to compute step by step."""


def show_map(
    values: Float[np.ndarray, "position column"],
    *,
    kind: Literal["encoding", "angles"],
    words: Sequence[str],
    picked: tuple[int, int] | None = None,
    key: str,
) -> None:
    """Show a number for each position and column, with the words of a text at their rows.

    Args:
        values: The numbers of an encoding, or the degrees by which each pair is rotated.
        kind: The kind of the numbers.
        words: The words of the text, from the first position on.
        picked: Position and dimension of a framed number; a click then chooses another.
        key: The key of the picture.
    """
    rows, columns = values.shape
    meta: WirePositionMap = {
        "kind": kind,
        "rows": rows,
        "columns": columns,
        "words": list(words[:rows]),
        "picked": None if picked is None else _number(*picked),
        "chooses": picked is not None,
    }
    data = {"meta": meta, "values": _packed(values)}
    _map(key=key, data=data, on_choose_change=partial(_take_number, key))


def show_waves(
    table: PositionTable,
    dimensions: Sequence[int],
    *,
    words: Sequence[str],
    picked: tuple[int, int],
) -> None:
    """Show some dimensions of an encoding over the positions; a click chooses a number."""
    meta: WireWaves = {
        "kind": table.kind,
        "size": table.d_model,
        "rows": table.length,
        "dimensions": dimensions,
        "words": list(words[: table.length]),
        "picked": _number(*picked),
    }
    key = "positions_waves"
    data = {"meta": meta, "values": _packed(table.values[:, dimensions])}
    _waves(key=key, data=data, on_choose_change=partial(_take_number, key))


def _number(position: int, dimension: int) -> WireNumber:
    return {"position": position, "dimension": dimension}


def _packed(values: Float[np.ndarray, "position column"]) -> pa.Table:
    return pa.table({"value": values.astype(np.float32).ravel()})


def _take_number(key: str) -> None:
    """Compute the clicked number step by step."""
    chosen: WireNumber = st.session_state[key]["choose"]
    for field, name in zip(PICKED, ("position", "dimension"), strict=True):
        st.session_state[field] = chosen[name]
