"""Markdown of docstrings and tables."""

from collections.abc import Iterator, Sequence

import griffe

OPTIONS = {"returns_named_value": False, "returns_multiple_items": False, "warnings": False}


def docstring_part(found: griffe.Object) -> Iterator[str]:
    """Yield the sections of a docstring."""
    for section in _sections(found):
        match section.kind.value:
            case "text":
                yield f"{section.value}\n"
            case "parameters":
                yield bullets((each.name, each.description) for each in section.value)
            case "returns":
                yield f"Returns: {one_line(section.value[0].description)}\n"
            case "raises":
                yield "Raises:\n"
                yield bullets((each.annotation, each.description) for each in section.value)


def _sections(found: griffe.Object) -> list[griffe.DocstringSection]:
    if found.docstring is None:
        return []
    # griffe takes words before a colon for a type: give it one, and it leaves the words alone.
    text = found.docstring.value.replace("Returns:\n    ", "Returns:\n    object: ")
    return griffe.Docstring(text, parent=found).parse("google", **OPTIONS)


def bullets(pairs: Iterator[tuple[object, str]]) -> str:
    """Return a list of names with their descriptions."""
    return "\n".join(f"- `{name}`: {one_line(text)}" for name, text in pairs) + "\n"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table; the first row is its head."""
    head, *others = rows
    cells = ([each.replace("|", "\\|") for each in row] for row in (head, *others))
    first, *lines = (f"| {' | '.join(row)} |".replace("|  |", "| |") for row in cells)
    return "\n".join((first, "|" + "---|" * len(head), *lines)) + "\n"


def one_line(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())
