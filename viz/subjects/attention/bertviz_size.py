"""What BertViz can show of a run: which views, how high, and what a browser has to do for them."""

import math
from dataclasses import dataclass
from typing import Literal

from texts import say_of
from viz.run.record import AttentionKind, Run, attention_trace, layer_count

View = Literal["head", "model", "neuron"]

MOST_DRAWN = 50_000
"""Lines and boxes in sight: a browser draws them in about two seconds."""
MOST_SENT = 600_000
"""Numbers in a document: about 4 MB."""

_AROUND = 70
"""Pixels above and below a drawing: the menus, the margins, a scroll bar."""


@dataclass(frozen=True)
class Size:
    """What decides how much a browser has to do."""

    layers: int
    heads: int
    queries: int
    keys: int
    d_k: int

    def drawn(self, view: View) -> int:
        """Count the lines and boxes in sight: of one layer, of all, or of one head."""
        lines = self.queries * self.keys
        if view == "head":
            return self.heads * lines
        if view == "model":
            return self.layers * self.heads * lines
        return 7 * lines + 3 * self.keys * self.d_k

    def sent(self, view: View) -> int:
        """Count the numbers in the document."""
        vectors = (self.queries + self.keys) * self.d_k if view == "neuron" else 0
        return self.layers * self.heads * (self.queries * self.keys + vectors)

    def fits(self, view: View) -> bool:
        """Return whether a view stays below both limits."""
        return self.drawn(view) <= MOST_DRAWN and self.sent(view) <= MOST_SENT


def views_for(kind: AttentionKind) -> tuple[View, ...]:
    """List the views of a kind: the neuron view is made for queries and keys of one sequence."""
    return ("head", "model") if kind == "cross-attention" else ("head", "model", "neuron")


def size_of(run: Run, kind: AttentionKind) -> Size:
    """Measure one kind of attention of a run."""
    attention = attention_trace(run, kind, 0)
    _, heads, queries, keys = attention.weights.shape
    return Size(
        layers=layer_count(run.info.config, kind),
        heads=heads,
        queries=queries,
        keys=keys,
        d_k=attention.query.size(-1),
    )


def too_large(run: Run, kind: AttentionKind, view: View) -> str | None:
    """Explain why a view would keep a browser busy, or None where it fits."""
    size = size_of(run, kind)
    if size.fits(view):
        return None
    return say_of(
        "attention.too_large_why",
        view,
        layers=size.layers,
        heads=size.heads,
        queries=size.queries,
        keys=size.keys,
        drawn=size.drawn(view),
        sent=size.sent(view),
        most_drawn=MOST_DRAWN,
        most_sent=MOST_SENT,
    )


def frame_height(run: Run, kind: AttentionKind, view: View) -> int:
    """Return the height of a view in pixels, from the sizes that stand in BertViz's scripts."""
    size = size_of(run, kind)
    longest = max(size.queries, size.keys)
    if view == "head":
        drawing = 30 + 22.5 * longest
    elif view == "model":
        row = 10 + longest * 7 * 12 / size.heads
        drawing = max(38 + row * size.layers, 55 + 18 * longest)
    else:
        drawing = 100 + 26 * longest
    return math.ceil(drawing) + _AROUND
