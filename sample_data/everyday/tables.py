"""The files of the lexicon, read into rows; a file is a table that anybody can extend."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

_FOLDER = Path(__file__).parent / "lexicon"

Row = dict[str, str]


def read_table(name: str) -> list[Row]:
    """Read a file of the lexicon. Raises ValueError, with the line, on a row of another shape.

    Lines that begin with "#" are headings for people.
    """
    path = _FOLDER / f"{name}.csv"
    return list(_rows(path.read_text(encoding="utf-8"), path.name))


def read_words(name: str) -> frozenset[str]:
    """Read a file with one word on each line."""
    lines = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n")
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def english_words(text: str) -> tuple[str, ...]:
    """Split an entry; "an" is written "a", because the word after it decides."""
    return tuple("a" if word == "an" else word for word in text.split())


def french_words(text: str) -> tuple[str, ...]:
    """Split an entry as sentences are: "l'eau" is two words, "aujourd'hui" and "quelqu'un" one."""
    apart = re.sub(r"(?<!\baujourd)(?<!\bquelqu)'(?=\w)", "' ", text)
    return tuple(re.sub(r"(?<=\w)(-(?:toi|moi|y))\b", r" \1", apart).split())


def _rows(text: str, name: str) -> Iterator[Row]:
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    content = [(n, line) for n, line in lines if not line.startswith("#")]
    header, *rows = csv.reader(line for _, line in content)
    for (number, line), row in zip(content[1:], rows, strict=True):
        if len(row) != len(header):
            raise ValueError(
                f"{name}, line {number}: a row must have {len(header)} fields "
                f"({', '.join(header)}), got {len(row)}: {line!r}"
            )
        yield dict(zip(header, row, strict=True))
