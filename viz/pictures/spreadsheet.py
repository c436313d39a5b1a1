"""Tables for spreadsheets, in which no text of a cell is taken for a formula."""

import json
from collections.abc import Mapping

import pandas as pd
from pandas.api.types import is_numeric_dtype

_FORMULA = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may read as the beginning of a formula: also as the wide forms of the signs,
and after white space that it drops."""
_MARK = "\ufeff"
"""Tells Excel that a file is UTF-8; without it, Excel reads "traversé" as "traversÃ©"."""


def cell(value: object) -> object:
    """Make text begin with an apostrophe where it would begin a formula; numbers stay numbers.

    A carriage return becomes a line feed: CSV writers do not quote it, and it would begin a row.
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_text(frame: pd.DataFrame, said: Mapping[str, object] | None = None) -> str:
    """Write a table's columns as CSV, without its index, after the mark of UTF-8.

    What is said of where it comes from stands in one cell of a last row: a first row of that would
    be taken for the names of the columns.
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
