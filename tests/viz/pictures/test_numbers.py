import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from viz.pictures import numbers

GOLDEN = json.loads(Path(__file__).with_name("numbers.json").read_text())
"""Inputs, and how both languages write them; NaN, infinity and negative zero are strings."""


@pytest.mark.parametrize("name", GOLDEN)
def test_python_writes_what_the_browser_writes(name):
    write = getattr(numbers, name)
    for given, text in GOLDEN[name]:
        values = list(map(float, given)) if isinstance(given, list) else float(given)
        assert write(values) == text, given


def test_no_number_is_further_off_than_its_last_digit():
    generator = np.random.default_rng(0)
    values = generator.standard_normal(2000) * 10.0 ** generator.integers(-12, 12, 2000)
    for value in values.tolist():
        text = numbers.number_text(value).replace("−", "-")
        digits = 4 if 1e-3 <= abs(value) < 1e5 else 3
        assert (
            abs(Decimal(text) - Decimal(value))
            <= abs(Decimal(value)) * Decimal(10) ** (1 - digits) / 2
        )
