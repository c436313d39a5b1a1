"""One cell of attention, packed for its card: the numbers, and the formulas beside them."""

import base64
import math
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from texts import say
from viz.subjects.attention.cell.arithmetic import CellArithmetic, Mix, Output, Row, Score
from viz.subjects.attention.cell.explain import MAY_ATTEND, NOTHING
from viz.subjects.attention.wire import (
    WireCell,
    WireMix,
    WireOutput,
    WireRow,
    WireScore,
    WireSide,
)

PRODUCTS_SHOWN = 8
KEYS_SHOWN = 6
"""Rows of a table that do not have to be unfolded."""
KEYS_SENT = 24
"""Keys of the row that are listed, and the one in view if it is none of them."""
_DIGITS = 7
"""Significant digits of a number that is sent as text: what float32 has."""

_COLOURS = {r"\mathbf{q}": "orange", r"\mathbf{k}": "blue", r"\mathbf{v}": "green"}
"""Names that KaTeX knows; the style sheet gives each the page's colour for its role."""


def cell_formulas(cell: CellArithmetic) -> str:
    """Write a paragraph for each line's formula: the same for every cell of an attention."""
    may, nothing = say("attention.formula_may"), say("attention.formula_nothing")
    words = {MAY_ATTEND: rf"\text{{ {may} }}", NOTHING: rf"\text{{{nothing}}}"}
    return "\n\n".join(f"${_coloured(_worded(line.formula, words))}$" for line in cell.lines)


def cell_data(
    cell: CellArithmetic,
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
) -> WireCell:
    """Pack every number that the card shows: one as text, a vector as float32 in base64.

    JSON has neither infinity nor NaN, and the digits of a vector would be twice as long. What is
    shown is rounded once, in the browser.
    """
    packed: WireCell = {
        "name": cell.name,
        "head": cell.head,
        "query": _side(cell.query, query_tokens),
        "key": _side(cell.key, key_tokens),
        "weight": _text(cell.weight),
        "rank": 1 + int((cell.row.weights > cell.weight).sum()),
        "lines": _vector([line.relative for line in cell.lines]),
        "changed": list(cell.changed),
        "tolerance": _text(cell.tolerance),
        "score": _score(cell.score),
        "row": _row(cell, key_tokens),
        "mix": _mix(cell.mix),
    }
    if cell.output.contributions is not None:
        packed["output"] = _output(cell.output, cell.output.contributions[cell.head])
    if cell.sharing:
        packed["shared"] = {"head": cell.key_head, "readers": list(cell.sharing)}
    if cell.turned:
        packed["turned"] = True
    return packed


def _worded(formula: str, words: Mapping[str, str]) -> str:
    for place, said in words.items():
        formula = formula.replace(place, said)
    return formula


def _coloured(formula: str) -> str:
    for vector, colour in _COLOURS.items():
        formula = formula.replace(vector, rf"\textcolor{{{colour}}}{{{vector}}}")
    return formula


def _text(value: float) -> str:
    """Write a number as JavaScript reads it."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "NaN" if math.isnan(value) else f"{value:.{_DIGITS}g}"


def _vector(values: Sequence[float] | np.ndarray) -> str:
    return base64.b64encode(np.asarray(values, "<f4").tobytes()).decode("ascii")


def _side(position: int, tokens: Sequence[str]) -> WireSide:
    return {"position": position, "token": tokens[position]}


def _score(score: Score) -> WireScore:
    """Return the products by magnitude, q and k in the same order."""
    products = score.products[score.order]
    packed: WireScore = {
        "dimensions": score.order.tolist(),
        "q": _vector(score.q[score.order]),
        "k": _vector(score.k[score.order]),
        "products": _vector(products),
        "shown": PRODUCTS_SHOWN,
        "more": _text(float(products[PRODUCTS_SHOWN:].sum())),
        "dot": _text(score.dot),
        "scaled": _text(score.scaled),
        "edited": score.edited,
        "allowed": score.allowed,
        "masked": _text(score.masked),
        "fill": _text(score.fill),
    }
    if not math.isclose(score.scale, score.q.size**-0.5):
        packed["scale"] = _text(score.scale)
    if score.bias is not None:
        packed["bias"] = _text(score.bias)
    if score.softcap is not None:
        packed["softcap"] = _text(score.softcap)
    return packed


def _row(cell: CellArithmetic, key_tokens: Sequence[str]) -> WireRow:
    """Return the strongest keys, the one in view among those that are shown first."""
    row = cell.row
    shown: list[int] = row.order[:KEYS_SHOWN].tolist()
    if cell.key not in shown:
        shown[-1] = cell.key
    strongest: list[int] = row.order[:KEYS_SENT].tolist()
    sent = [*shown, *(key for key in strongest if key not in shown)]
    packed: WireRow = {
        "size": len(row.weights),
        "keys": sent,
        "tokens": [key_tokens[key] for key in sent],
        "hidden": [key for key in sent if not row.allowed[key]],
        "scores": _vector(row.scores[sent]),
        "exponentials": _vector(row.exponentials[sent]),
        "weights": _vector(row.weights[sent]),
        "shown": len(shown),
        "more": _text(_sum_without(row, shown)),
        "others": _text(_sum_without(row, sent)),
        "largest": _text(row.largest),
        "denominator": _text(row.denominator),
        "open": int(row.allowed.sum()),
    }
    if row.left:
        packed["left"] = _text(row.left)
    return packed


def _sum_without(row: Row, keys: list[int]) -> float:
    """Add up the weights of all other keys."""
    return math.fsum(np.delete(row.weights, keys))


def _mix(mix: Mix) -> WireMix:
    return {
        "v": _vector(mix.v),
        "weighted": _vector(mix.weighted),
        "mix": _vector(mix.mix),
        "share": _text(mix.share),
    }


def _output(output: Output, own: Float[np.ndarray, " d_model"]) -> WireOutput:
    """Return what the head writes and what all write together, and how long each of them is."""
    bias = "" if output.bias is None else _text(float(np.linalg.norm(output.bias)))
    return {
        "own": _vector(own),
        "output": _vector(output.output),
        "norms": _vector(output.norms),
        "bias": bias,
        "together": _text(float(np.linalg.norm(output.output))),
    }
