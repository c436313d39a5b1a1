"""The formulas of the encodings in LaTeX, in general and for one position and dimension."""

import math

from model.config import Positions
from texts.saying import written
from viz.subjects.positions.table import PositionTable

DIGITS = 6
"""The decimals of an encoding, here and in the pictures."""


def general(table: PositionTable) -> str:
    """Write the formula as in its write-up."""
    base, d = _plain(table.base), r"d_{\mathrm{model}}"
    texts: dict[Positions, str] = {
        "sinusoidal": rf"""\begin{{aligned}}
            PE_{{(pos,\,2i)}} &= \sin\!\left(pos / {base}^{{2i/{d}}}\right) \\
            PE_{{(pos,\,2i+1)}} &= \cos\!\left(pos / {base}^{{2i/{d}}}\right)
        \end{{aligned}}""",
        "double_sine": rf"PE_{{(pos,\,j)}} = \sin\!\left(pos / {base}^{{2j/{d}}}\right)",
        "single_frequency": rf"""\begin{{aligned}}
            PE_{{(pos,\,2i)}} &= \sin\!\left(pos / {base}^{{\lfloor 2i/{d} \rfloor}}\right) \\
            PE_{{(pos,\,2i+1)}} &= \cos\!\left(pos / {base}^{{\lfloor (2i+1)/{d} \rfloor}}\right)
        \end{{aligned}}""",
        "learned": r"PE_{(pos,\,j)} = W_{pos,\,j}",
        "none": r"PE_{(pos,\,j)} = 0",
    }
    return texts[table.kind]


def worked(table: PositionTable, position: int, dimension: int) -> str:
    """Insert one position and one dimension, and compute the number step by step."""
    value = _number(table.values[position, dimension])
    name = rf"PE_{{({position},\,{dimension})}}"
    rates = table.frequencies
    if rates is None:
        middle = rf"W_{{{position},\,{dimension}}} &= " if table.kind == "learned" else ""
        return rf"\begin{{aligned}} {name} &= {middle.replace('&', '')}{value} \end{{aligned}}"
    wave = r"\cos" if dimension % 2 and table.kind != "double_sine" else r"\sin"
    divisor = 1 / float(rates[dimension])
    power = rf"{_plain(table.base)}^{{{_exponent(table, dimension)}}}"
    return rf"""\begin{{aligned}}
        {name} &= {wave}\!\left(\frac{{{position}}}{{{power}}}\right) \\
        &= {wave}\!\left(\frac{{{position}}}{{{_short(divisor)}}}\right) \\
        &= {wave}({_number(position * float(rates[dimension]))}) \\
        &= {value}
    \end{{aligned}}"""


def _exponent(table: PositionTable, dimension: int) -> str:
    d = table.d_model
    if table.kind == "single_frequency":
        return rf"\lfloor {dimension}/{d} \rfloor"
    if table.kind == "double_sine":
        return rf"2 \cdot {dimension}/{d}"
    return f"{dimension - dimension % 2}/{d}"


def _plain(value: float) -> str:
    return f"{value:g}" if value != math.floor(value) else f"{value:.0f}"


def _short(value: float) -> str:
    return _digits(f"{value:.4f}".rstrip("0").rstrip("."))


def _number(value: float) -> str:
    """Round a number, without the minus sign of a zero."""
    return _digits(f"{round(float(value), DIGITS) + 0.0:.{DIGITS}f}")


def _digits(number: str) -> str:
    """Write a number in the reader's language; a comma in braces has no space after it."""
    return written(number).replace(",", "{,}")
