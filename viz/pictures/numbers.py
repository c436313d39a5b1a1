"""Numbers for people: few digits, and a real minus sign.

`browser/numbers.js` has the same rules; one file of examples tests both.
"""

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal

from texts import say
from texts.saying import written

NUMBER_DIGITS = 4
"""Most significant digits shown."""
_LEAST_PLAIN, _LEAST_LONG = 1e-3, 1e5
"""Numbers outside this range are written with a power of ten."""
_EXACT = Context(prec=1100, rounding=ROUND_HALF_UP)
"""Precision for every digit of a double: ties are exact, and round away from 0 as in browsers."""


def number_text(value: float) -> str:
    """Write one number, with one digit less if it has a power of ten."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if not _is_plain(value):
        return _power_text(value, NUMBER_DIGITS - 2)
    return fixed(value, _decimals_of(value))


def column_texts(values: Iterable[float]) -> list[str]:
    """Write a column of numbers with the same number of decimals; the largest gets 4 digits."""
    values = list(values)
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if not _is_plain(largest):
        return [number_text(value) for value in values]
    decimals = _decimals_of(largest)
    return [fixed(v, decimals) if math.isfinite(v) else number_text(v) for v in values]


def percent_text(share: float) -> str:
    """Write a share in percent; one between 0 and 1 is never rounded to 0% or 100%."""
    if not math.isfinite(share):
        return "NaN"
    if 0 < share < 0.0005:
        return say("number.under", share=_percent("0.1"))
    if 0.9995 <= share < 1:
        return say("number.over", share=_percent("99.9"))
    return _percent(_fixed(share * 100, 1).removesuffix(".0"))


def difference_text(relative: float) -> str:
    """Write the relative difference between two computations of a number, with one digit."""
    if relative == 0:
        return say("number.exact")
    if not math.isfinite(relative):
        return "∞"
    if relative < _LEAST_PLAIN:
        return _power_text(relative, 0)
    return fixed(relative, max(0, -_rounded(relative, 0).adjusted()), digits=1)


def error_text(difference: float) -> str:
    """Write the error of a number against its second computation, for a check."""
    text = difference_text(difference)
    return text if difference == 0 else f"± {text}"


def fixed(value: float, decimals: int, *, digits: int | None = None) -> str:
    """Write a number with this many decimals, filled with zeros beyond `digits` digits."""
    return written(_fixed(value, decimals, digits))


def _fixed(value: float, decimals: int, digits: int | None = None) -> str:
    exact = _exact(value) if digits is None else _rounded(value, digits - 1)
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), context=_EXACT):f}".replace("-", "−")


def _percent(number: str) -> str:
    return written(f"{number}%")


def _is_plain(value: float) -> bool:
    return _LEAST_PLAIN <= abs(float(value)) < _LEAST_LONG


def _decimals_of(value: float) -> int:
    """Return the number of decimals for the digits shown, after rounding to them."""
    return max(0, NUMBER_DIGITS - 1 - _rounded(value, NUMBER_DIGITS - 1).adjusted())


def _power_text(value: float, decimals: int) -> str:
    rounded = _rounded(value, decimals)
    power = rounded.adjusted()
    mantissa = f"{rounded.scaleb(-power, context=_EXACT):f}"
    short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return written(f"{short}e{power}".replace("-", "−"))


def _rounded(value: float, decimals: int) -> Decimal:
    """Round to one digit before the point of the mantissa, and `decimals` after it."""
    exact = _exact(value)
    step = Decimal(1).scaleb(exact.adjusted() - decimals)
    return exact.quantize(step, context=_EXACT)


def _exact(value: float) -> Decimal:
    return Decimal(float(value) + 0.0)  # no negative zero
