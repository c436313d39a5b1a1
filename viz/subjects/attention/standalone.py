"""The attention of one run as a standalone page."""

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np
from jaxtyping import Bool, Float, Float32

from texts import Language, language
from viz.alone.build import Host, page_alone
from viz.heads.wire import WireMeasures
from viz.run.axes import AttentionKind
from viz.run.codes import encode_weights
from viz.run.wire import WireRun, WireSelection, WireStack
from viz.subjects.attention.wire import WireStandalone

_BROWSER = "subjects/attention/browser"
_PLACES = """
<div id="reading"></div>
<div class="side">
<div id="heads" class="card"></div>
<div id="cell_words" class="card"></div>
</div>
<div id="head" class="card"></div>
<div id="cell" class="card"></div>
"""
_SHEETS = tuple(f"subjects/attention/{name}.css" for name in ("attention", "cell", "alone"))
_HOST = Host((f"{_BROWSER}/standalone.js",), _SHEETS, _PLACES)
_WITH_CELLS = Host((f"{_BROWSER}/offline.js",), _SHEETS, _PLACES)

Layer = tuple[Float[np.ndarray, "_head _query _key"], Bool[np.ndarray, "_query _key"]]
"""The weights of one layer, and the mask of all its heads, True in cells that may be read.

Sizes differ between the kinds of attention, so they are not compared.
"""


def standalone_page(
    run: WireRun,
    layers: Iterable[Layer],
    measures: WireMeasures,
    selection: WireSelection,
    *,
    title: str,
    notes: Sequence[str],
    numbers: Float32[np.ndarray, " number"] | None = None,
    said: Mapping[str, object] | None = None,
) -> str:
    """Write a page that shows all heads of a run, and the weights of one as a map and as lines.

    Args:
        run: The run without its weights.
        layers: The layers of each kind of attention, in the order in which the run names the kinds.
        measures: The measures of every head.
        selection: The head and the cell that the page first shows.
        title: The title of the page.
        notes: Sentences at the foot of the page.
        numbers: The tensors of the run from which the page computes cells.
        said: The origin of the data. With it, the page can save its pictures itself.
    """
    sent: WireStandalone = {
        "run": {**run, "kinds": _at_full_size(run["kinds"])},
        "measures": measures,
        "choice": {"selection": selection, "number": 0, "page": "attention"},
        "said": dict(said or {}),
    }
    codes = [encode_weights(weights, mask).ravel() for weights, mask in layers]
    arrays = {"codes": np.concatenate(codes)}
    if numbers is not None:
        arrays["numbers"] = numbers
    provenance = escape(json.dumps(sent["said"], ensure_ascii=False))
    return page_alone(
        _HOST if numbers is None else _WITH_CELLS,
        (language(),),
        sent,
        arrays,
        title=title,
        notes=notes,
        head=f'<meta name="loupe:provenance" content="{provenance}">\n',
    )


@functools.cache
def page_bytes(spoken: Language) -> int:
    """Return the length of a page without any run."""
    return len(page_alone(_WITH_CELLS, (spoken,), {}, title=""))


def _at_full_size(kinds: Mapping[AttentionKind, WireStack]) -> dict[AttentionKind, WireStack]:
    """Return each kind with the offset of its full-size weights among all weights."""
    stacks: dict[AttentionKind, WireStack] = {}
    offset = 0
    for kind, stack in kinds.items():
        rows, columns = stack["rows"], stack["columns"]
        stacks[kind] = {**stack, "drawn": [rows, columns], "offset": offset}
        offset += stack["layers"] * stack["heads"] * rows * columns
    return stacks
