"""The measures of a run, packed for the browser: all rows that are known, and words for each."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from model.measures import MEASURES, Measure
from sample_data.agreement import Agreements
from texts import say
from viz.run.alignment import gold_links
from viz.run.view import View
from viz.subjects.mattered.row_measures import RunAgain
from viz.subjects.mattered.wire_measures import WireMattered, WireMeasure
from viz.subjects.mattered.words import measures as words

_MOST_NUMBERS = 2_500
"""Of one measure: where a run has more, only the row in view is sent."""
_DIGITS = 5


def pack_measures(
    view: View,
    step: int,
    head: tuple[int, int],
    seen: Mapping[Measure, Float[np.ndarray, "target source"]],
    again: RunAgain | None,
    agreements: Agreements | None,
) -> WireMattered:
    """Pack what is known: of every row what the run says, of one what running again says."""
    run = view.run
    return {
        "run": view.parcel.key,
        "source": run.source.tokens,
        "written": run.target_tokens[1:],
        "by": "step",
        "gold": sorted(gold_links(run) or ()),
        "headings": (say("mattered.finds_swap"), say("mattered.finds_gold"))
        if agreements
        else ("", ""),
        "measures": [
            _measure(name, _rows(name, step, len(run.steps), seen, again), head, agreements)
            for name in MEASURES
            if name in seen or (again is not None and name in again.values)
        ],
    }


def _rows(
    name: Measure,
    step: int,
    steps: int,
    seen: Mapping[Measure, Float[np.ndarray, "target source"]],
    again: RunAgain | None,
) -> list[list[float | None] | None]:
    rows: list[list[float | None] | None] = [None] * steps
    if name in seen:
        known = range(steps) if seen[name].size <= _MOST_NUMBERS else (step,)
        for row in known:
            rows[row] = _plain(seen[name][row])
    elif again is not None:
        rows[step] = _plain(again.values[name])
    return rows


def _measure(
    name: Measure,
    rows: list[list[float | None] | None],
    head: tuple[int, int],
    agreements: Agreements | None,
) -> WireMeasure:
    found = agreements.measures.get(name) if agreements else None
    if name == "head" and agreements and agreements.head != head:
        found = None
    explained = words.explained(name)
    return {
        "name": name,
        "group": explained.group,
        "label": words.label_of(name, head),
        "what": explained.what,
        "formula": explained.formula,
        "origin": explained.origin,
        # Swapping agrees with itself.
        "swap": words.agreement_text(found.swap) if found and name != "swapped" else "",
        "gold": words.agreement_text(found.gold) if found else "",
        "isBelow": bool(found and agreements and words.is_below(found, agreements)),
        "rows": rows,
    }


def _plain(values: Sequence[float] | Float[np.ndarray, " source"]) -> list[float | None]:
    return [float(f"{v:.{_DIGITS}g}") if np.isfinite(v) else None for v in values]
