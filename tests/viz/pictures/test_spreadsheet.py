import csv
import io
import json
from collections.abc import Iterator

import pandas as pd
import pytest

from viz.pictures.spreadsheet import cell, csv_text

FORMULAS = (
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+cmd",
    "-2+3",
    "@sum(1+1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1",
    "-",
)
ROWS = ("a\r=1", "a\r\n=1", "a\n=1", 'a"\r=1', "a,=1")
"""Texts that would begin a new row or a new cell if they were not quoted."""


@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_begins_a_formula_is_marked_as_text(text):
    assert cell(text) == f"'{text}".replace("\r", "\n")


@pytest.mark.parametrize("value", ["", "a=1", "l'", "'=1", "␣", "1-2", -1, -0.5, 3, None, True])
def test_anything_else_stays(value):
    assert cell(value) == value
    assert type(cell(value)) is type(value)


def read(text: str) -> Iterator[list[str]]:
    """Return the rows of a file as read by a program that knows UTF-8's byte order mark."""
    return csv.reader(io.StringIO(text.encode().decode("utf-8-sig"), newline=""))


def test_a_file_begins_with_the_mark_of_utf_8():
    data = csv_text(pd.DataFrame({"é": ["traversé"]}), {"source": "é"}).encode()
    assert data.startswith(b"\xef\xbb\xbf\xc3\xa9\n")
    assert data.count(b"\xef\xbb\xbf") == 1
    assert pd.read_csv(io.BytesIO(data)).columns.tolist() == ["é"]


def test_a_table_keeps_its_numbers_and_escapes_its_texts():
    frame = pd.DataFrame(
        {"=name": FORMULAS, "value": [-float(i) for i in range(10)], 7: range(-5, 5)},
        index=[f"={i}" for i in range(10)],
    )
    header, *rows = read(csv_text(frame))
    assert header == ["'=name", "value", "7"]
    assert [row[0] for row in rows] == [cell(text) for text in FORMULAS]
    assert [float(row[1]) for row in rows] == [-float(i) for i in range(10)]
    assert [int(row[2]) for row in rows] == list(range(-5, 5))
    assert list(frame["=name"]) == list(FORMULAS)  # the caller's frame is not changed


def test_no_text_ends_its_row_or_its_cell():
    text = csv_text(pd.DataFrame({"token": ROWS, "id": range(5)}))
    found = pd.read_csv(io.StringIO(text))
    assert found["id"].tolist() == list(range(5))
    assert found["token"].tolist() == ["a\n=1"] * 3 + ['a"\n=1', "a,=1"]
    assert "\r" not in text


def test_where_a_table_comes_from_is_one_cell_of_a_last_row():
    said = {"source": 'a,=cmd()\n"b"'}
    rows = list(read(csv_text(pd.DataFrame({"id": [1]}), said)))
    assert rows[:2] == [["id"], ["1"]]
    assert len(rows[2]) == 1
    assert json.loads(rows[2][0].removeprefix("# Loupe ")) == said
