"""The parts of a logit as a waterfall of bars: each begins at the end of the one before."""

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from texts import say
from viz.pictures.html_table import Cell, Row, table
from viz.pictures.numbers import column_texts
from viz.pictures.tokens import token
from viz.subjects.mattered.row_parts import Lead
from viz.subjects.mattered.words import lead as words


class _Bar(NamedTuple):
    label: str
    name: str
    start: float
    value: float


def lead_table(lead: Lead) -> Markup:
    """Show the contribution of each part to the lead, as numbers and as a waterfall of bars."""
    bars = list(_bars(lead))
    ends = [0.0, *(bar.start for bar in bars), *(bar.start + bar.value for bar in bars)]
    low, high = min(ends), max(ends)
    span = (high - low) or 1.0
    texts = column_texts(bar.value for bar in bars)
    rows = [
        Row((Cell(bar.label, title=bar.name), text, _drawn(bar, low, span)))
        for bar, text in zip(bars, texts, strict=True)
    ]
    whole = _Bar("", "", 0.0, lead.total)
    (total,) = column_texts([lead.total])
    rows.append(Row((say("mattered.lead_sum"), total, _drawn(whole, low, span)), kind="lead-sum"))
    header = (say("mattered.lead_part"), say("mattered.lead_adds"), _ends(lead))
    return table(header, rows, kind="lead-table", numeric={1})


def _bars(lead: Lead) -> Iterator[_Bar]:
    at = 0.0
    for part in lead.shown:
        yield _Bar(words.part_label(part), part.name, at, part.value)
        at += part.value
    if lead.rest_count:
        yield _Bar(words.rest_label(lead.rest_count), "", at, lead.rest)


def _drawn(bar: _Bar, low: float, span: float) -> Markup:
    start, end = sorted((bar.start, bar.start + bar.value))
    kind = "lead-up" if bar.value >= 0 else "lead-down"
    return Markup(
        '<span class="lead-track"><i class="lead-zero" style="left:{:.2f}%"></i>'
        '<i class="{}" style="left:{:.2f}%;width:{:.2f}%"></i></span>'
    ).format(100 * -low / span, kind, 100 * (start - low) / span, 100 * (end - start) / span)


def _ends(lead: Lead) -> Markup:
    return Markup('<span class="lead-ends"><span>← {}</span><span>{} →</span></span>').format(
        token(lead.other), token(lead.token)
    )
