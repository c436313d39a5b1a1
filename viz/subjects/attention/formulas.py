"""The formula of each step of a cell's arithmetic, the same for all cells of an attention."""

import math

from model.traces import AttentionTrace
from texts import say
from viz.run.axes import AttentionKind, attention_trace
from viz.run.record import Run
from viz.run.tensor_parcel import read_by

_COLOURS = {r"\mathbf{q}": "orange", r"\mathbf{k}": "blue", r"\mathbf{v}": "green"}
"""KaTeX's names for colours; the style sheet replaces each by the page's colour for its role."""


def cell_formulas(run: Run, kind: AttentionKind, layer: int) -> str:
    """Write a paragraph for the formula of each line, in LaTeX.

    The vectors of a single token are bold. A recorded model has no known parameters to name.
    """
    total = r"Z = \sum_j e_j"
    if run.anatomy.site(kind).sinks:
        total += rf" + e_{{\text{{{say('attention.formula_nothing')}}}}}"
    may = rf"\text{{ {say('attention.formula_may')} }}{{{_fill(run.info.config.mask_fill)}}}"
    written = r"W^O_h\,\mathrm{head}_h"
    formulas = (
        _projected(run, kind, layer, "query"),
        _projected(run, kind, layer, "key"),
        r"\mathbf{q}\cdot\mathbf{k} = \sum_i \mathbf{q}_i\,\mathbf{k}_i",
        _score(attention_trace(run, kind, layer)),
        rf"s' = s \;{may}",
        r"e_j = \exp(s'_j - \max s')",
        total,
        r"w = e \,/\, Z",
        _projected(run, kind, layer, "value"),
        r"w\,\mathbf{v}",
        r"\mathrm{head} = \sum_j w_j\,\mathbf{v}_j",
        written,
        rf"\mathrm{{output}} = \sum_h {written}" + (" + b^O" if _has_output_bias(run) else ""),
    )
    return "\n\n".join(f"${_coloured(formula)}$" for formula in formulas)


def _projected(run: Run, kind: AttentionKind, layer: int, part: str) -> str:
    """Write the projection of a query, a key or a value, which rotary positions then rotate."""
    letter, config = part[0], run.info.config
    vector = rf"\mathbf{{{letter}}}"
    if run.anatomy.is_recorded:
        return vector
    read = read_by(run, kind, layer)[part != "query"]
    symbol = "m" if read == "encoder.output" else "x"
    if read.endswith("_norm.output"):
        symbol = r"\,\mathrm{norm}(x)"
    formula = f"W^{letter.upper()}{symbol}"
    if config.attention_bias:
        formula += f" + b^{letter.upper()}"
    if config.positions == "rotary" and kind != "cross-attention" and part != "value":
        formula = rf"R_{'i' if part == 'query' else 'j'}\,({formula})"
    return f"{vector} = {formula}"


def _has_output_bias(run: Run) -> bool:
    config = run.info.config
    return not run.anatomy.is_recorded and config.attention_bias and config.attention_output_bias


def _score(attention: AttentionTrace) -> str:
    scaled = r"\mathbf{q}\cdot\mathbf{k}"
    if math.isclose(attention.scale, attention.query.size(-1) ** -0.5):
        scaled = rf"{scaled} \,/\, \sqrt{{d_k}}"
    elif attention.scale != 1:
        scaled = rf"{scaled} \cdot {attention.scale:.4g}"
    if (cap := attention.softcap) is not None:
        scaled = rf"{cap:.4g} \tanh\left(({scaled}) \,/\, {cap:.4g}\right)"
    return rf"s = {scaled}" if attention.bias is None else rf"s = {scaled} + b"


def _fill(fill: float) -> str:
    """Write the score of a masked cell, -inf or a number such as -1e9."""
    if fill == -math.inf:
        return r"-\infty"
    mantissa, _, exponent = f"{fill:.4g}".partition("e")
    if not exponent:
        return mantissa
    power = rf"10^{{{int(exponent)}}}"
    return f"-{power}" if mantissa == "-1" else rf"{mantissa}\cdot {power}"


def _coloured(formula: str) -> str:
    for vector, colour in _COLOURS.items():
        formula = formula.replace(vector, rf"\textcolor{{{colour}}}{{{vector}}}")
    return formula
