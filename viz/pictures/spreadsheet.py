"""Tables for spreadsheets, in which no text in a cell can act as a formula."""

import json
from collections.abc import Mapping

import pandas as pd
from pandas.api.types import is_numeric_dtype

_FORMULA = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")
"""Signs with which a spreadsheet may begin a formula, also in their wide forms, and the white space
that it skips before them."""
_MARK = "\ufeff"
"""Tells Excel that a file is UTF-8; without it, Excel reads "traversé" as "traversÃ©"."""


def cell(value: object) -> object:
    """Put an apostrophe before text that could be a formula; numbers stay numbers.

    A carriage return becomes a line feed: CSV writers do not quote it, and it would begin a row.
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_text(frame: pd.DataFrame, said: Mapping[str, object] | None = None) -> str:
    """Write a table's columns as CSV, without its index, after a byte order mark.

    The provenance is one cell of the last row, because a first row would be read as column names.
    """
    safe = {
        name: column if is_numeric_dtype(column) else column.map(cell)
        for name, column in frame.items()
    }
    rows = pd.DataFrame(safe).rename(columns=cell).to_csv(index=False, lineterminator="\n")
    text = f"{_MARK}{rows}"
    if said is None:
        return text
    about = json.dumps(said, ensure_ascii=False).replace('"', '""')
    return f'{text}"# Loupe {about}"\n'
