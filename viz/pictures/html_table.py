"""HTML tables. Every cell that is not Markup is escaped, without exception."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from texts import say
from viz.pictures.tokens import escape

_NUMBER = "loupe-number"


@dataclass(frozen=True)
class Cell:
    """A cell with a CSS class, or with a tooltip."""

    content: str
    """Text is escaped; Markup stays as it is."""
    kind: str = ""
    title: str = ""


@dataclass(frozen=True)
class Row:
    """A row with a CSS class."""

    cells: Sequence[str | Cell]
    kind: str = ""


def table(
    header: Sequence[str | Cell],
    rows: Iterable[Row | Sequence[str | Cell]],
    *,
    kind: str = "",
    base: str = "loupe-table",
    caption: str | Cell = "",
    numeric: Collection[int] = (),
    least_width: int | None = None,
) -> Markup:
    """Write a table whose rows begin with their names; a row without a name has an empty cell.

    Args:
        header: Names of the columns, the first one above the rows' names; may be empty.
        rows: The name of each row and its cells.
        kind: CSS classes in addition to `base`.
        base: The class that gives the table its look.
        caption: The subject of the table.
        numeric: Columns of numbers, from 0, which are aligned to the right.
        least_width: Width in rem below which the table scrolls instead of shrinking.
    """
    title = _element("caption", caption) if caption else Markup()
    names = [
        _element(
            "th" if _content(name) else "td",
            name,
            scope="col" if _content(name) else "",
            also=_NUMBER if column in numeric else "",
        )
        for column, name in enumerate(header)
    ]
    head = Markup("<thead>{}</thead>").format(_row("", names)) if names else Markup()
    body = Markup().join(_body_row(row, numeric) for row in rows)
    style = Markup(' style="min-width:{}rem"').format(least_width) if least_width else ""
    # The keyboard can scroll only what it can focus.
    about = _content(caption) or ", ".join(filter(None, map(_content, header)))
    about = about or say("picture.table")
    return Markup(
        '<div class="loupe-scroll" tabindex="0" role="region" aria-label="{}">'
        '<table{} class="{}">{}{}<tbody>{}</tbody></table></div>'
    ).format(escape(_plain(about)), style, f"{base} {kind}".strip(), title, head, body)


def _body_row(row: Row | Sequence[str | Cell], numeric: Collection[int]) -> Markup:
    row = row if isinstance(row, Row) else Row(row)
    name, *cells = row.cells
    first = _element("th", name, scope="row") if _content(name) else _element("td", name)
    rest = (
        _element("td", cell, also=_NUMBER if column in numeric else "")
        for column, cell in enumerate(cells, 1)
    )
    return _row(row.kind, [first, *rest])


def _row(kind: str, cells: Iterable[Markup]) -> Markup:
    named = Markup(' class="{}"').format(kind) if kind else ""
    return Markup("<tr{}>{}</tr>").format(named, Markup().join(cells))


def _element(tag: str, cell: str | Cell, *, scope: str = "", also: str = "") -> Markup:
    cell = cell if isinstance(cell, Cell) else Cell(cell)
    values = {"scope": scope, "class": f"{also} {cell.kind}".strip(), "title": cell.title}
    attributes = Markup().join(
        Markup(' {}="{}"').format(name, escape(value)) for name, value in values.items() if value
    )
    return Markup("<{0}{1}>{2}</{0}>").format(tag, attributes, escape(cell.content))


def _plain(text: str) -> str:
    """Remove the tags of Markup, because an attribute cannot contain any."""
    return text.striptags() if isinstance(text, Markup) else text


def _content(cell: str | Cell) -> str:
    return cell.content if isinstance(cell, Cell) else cell
