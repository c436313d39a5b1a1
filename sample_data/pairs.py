"""One translation with its gold alignment, and the file format for many of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """A source, its one correct target, and their aligned units."""

    source: str
    target: str
    alignment: frozenset[tuple[int, int]]
    """(source unit index, target unit index); empty if no alignment is known."""


def read_tsv(path: Path | str) -> list[Pair]:
    """Read lines of source, target and, if there is one, alignment ("0-0 1-2"), tab-separated."""
    path = Path(path)
    text = path.read_text(encoding="utf-8")
    lines = text.removesuffix("\n").split("\n") if text else []
    return [parse_line(line, f"{path}, line {number}") for number, line in enumerate(lines, 1)]


def write_tsv(path: Path | str, pairs: Iterable[Pair]) -> None:
    """Write one line for each pair, as `read_tsv` reads them."""
    lines = [format_line(pair) + "\n" for pair in pairs]
    Path(path).write_text("".join(lines), encoding="utf-8", newline="\n")


def format_line(pair: Pair) -> str:
    """Return the pair as one line of a file, without its line end."""
    for text in (pair.source, pair.target):
        if not text.strip() or any(sign in text for sign in "\t\n\r"):
            raise ValueError(f"a source and a target must be text without tabs, got {text!r}")
    alignment = " ".join(f"{source}-{target}" for source, target in sorted(pair.alignment))
    return "\t".join([pair.source, pair.target, *([alignment] if alignment else [])])


def parse_line(line: str, where: str) -> Pair:
    """Read a line as `format_line` writes it. Raises ValueError, with the place, on another."""
    fields = line.removesuffix("\r").split("\t")
    if len(fields) not in (2, 3):
        raise ValueError(
            f"{where}: a line must have 2 or 3 tab-separated fields "
            f"(source, target, alignment), got {len(fields)}: {line!r}"
        )
    source, target = fields[:2]
    if not source.strip() or not target.strip():
        raise ValueError(f"{where}: source and target must not be empty, got {line!r}")
    links = fields[2].split() if len(fields) == 3 else []
    return Pair(source, target, frozenset(_parse_link(link, where) for link in links))


def _parse_link(link: str, where: str) -> tuple[int, int]:
    source, dash, target = link.partition("-")
    if not (dash and _is_index(source) and _is_index(target)):
        raise ValueError(
            f'{where}: an alignment must be pairs of indexes such as "0-0 1-2", got {link!r}'
        )
    return int(source), int(target)


def _is_index(text: str) -> bool:
    return text.isascii() and text.isdigit()
