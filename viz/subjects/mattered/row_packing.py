"""Packs the measures of a run for the browser: all known rows, and words for each."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from model.attribution.measures import MEASURES, Measure
from sample_data.agreement import Agreements
from texts import say, say_of
from viz.run.alignment import gold_links
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.mattered.row_measures import RunAgain, read_by, spoken_ids, tokens_read
from viz.subjects.mattered.wire_measures import WireMattered, WireMeasure
from viz.subjects.mattered.words import measures as words

_MOST_NUMBERS = 2_500
"""The largest number of values of one measure; of a larger run, only the row in view is sent."""
_DIGITS = 5


def pack_measures(
    view: View,
    row: int,
    seen: Mapping[Measure, Float[np.ndarray, "row source"]],
    again: RunAgain | None,
    agreements: Agreements | None,
) -> WireMattered:
    """Pack the known values: for every row those from the run, for one those from running again."""
    run = view.run
    return {
        "run": view.parcel.key,
        "source": tokens_read(run),
        "written": run.info.tokenizers.target.tokens(spoken_ids(run)),
        "by": "step" if run.steps else "query",
        "gold": sorted(gold_links(run) or ()),
        "headings": (say("mattered.finds_swap"), say("mattered.finds_gold"))
        if agreements
        else ("", ""),
        "measures": [
            _measure(name, _rows(name, row, run, seen, again), agreements)
            for name in MEASURES
            if name in seen or (again is not None and name in again.values)
        ],
    }


def _rows(
    name: Measure,
    row: int,
    run: Run,
    seen: Mapping[Measure, Float[np.ndarray, "row source"]],
    again: RunAgain | None,
) -> list[list[float | None] | None]:
    count = len(spoken_ids(run))
    rows: list[list[float | None] | None] = [None] * count
    if name in seen:
        for each in range(count) if seen[name].size <= _MOST_NUMBERS else (row,):
            rows[each] = _plain(seen[name][each, : read_by(run, each)], run)
    elif again is not None:
        rows[row] = _plain(again.values[name], run)
    return rows


def _measure(
    name: Measure, rows: list[list[float | None] | None], agreements: Agreements | None
) -> WireMeasure:
    found = agreements.measures.get(name) if agreements else None
    return {
        "name": name,
        "label": say_of("mattered.label", name),
        "what": say_of("mattered.what", name),
        # Swapping agrees with itself.
        "swap": words.agreement_text(found.swap) if found and name != "swapped" else "",
        "gold": words.agreement_text(found.gold) if found else "",
        "rows": rows,
    }


def _plain(values: Float[np.ndarray, " read"], run: Run) -> list[float | None]:
    """Return plain numbers: None for unknown values, and for tokens that the row does not read."""
    known: list[float | None] = [
        float(f"{v:.{_DIGITS}g}") if np.isfinite(v) else None for v in values
    ]
    return known + [None] * (len(tokens_read(run)) - len(known))
