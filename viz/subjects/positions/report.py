"""What was measured about positions, as tables of HTML."""

from collections.abc import Iterable, Sequence

from viz.pictures.tokens import escape
from viz.subjects.positions.words import FAR, IDLE_OVER, NAMES, Summary


def summaries_table(summaries: Iterable[Summary], chosen: str) -> str:
    """Set encodings of one size beside each other, the chosen kind lit."""
    body = "".join(
        f"<tr><th{_lit(s.kind == chosen)}>{escape(NAMES[s.kind])}</th>"
        f"<td>{_wave(s.longest_wave)}</td>"
        f"<td>{s.idle}</td><td>{_coincidence(s)}</td>"
        f"<td>{_mark(s.rotates, s.alike, 'nothing to turn')}</td>"
        f"<td>{_mark(s.by_offset, s.alike, 'all are 0')}</td></tr>"
        for s in summaries
    )
    head = (
        "",
        "longest wave, positions",
        f"dimensions that hardly move over {IDLE_OVER} positions",
        f"nearer than neighbours, within {FAR} positions",
        "a shift is a rotation",
        "products depend on i − j alone",
    )
    return _table(head, body)


def rerun_table(rows: Iterable[tuple[str, float, int, int, str]]) -> str:
    """Compare runs: name, loss, how many tokens the model itself put first, of how many, text."""
    body = "".join(
        f"<tr><th>{escape(name)}</th><td>{loss:.3f}</td><td>{first} of {count}</td>"
        f'<td><span dir="auto">{escape(text) or "(no words)"}</span></td></tr>'
        for name, loss, first, count, text in rows
    )
    head = ("", "loss, nats a token", "tokens it would write itself", "writes greedily")
    return _table(head, body)


def ratios_table(rows: Sequence[tuple[str, float, float, float, bool]]) -> str:
    """Compare lengths with the scale on and off: words, embedding, encoding, ratio, if it runs."""
    body = "".join(
        f"<tr><th{_lit(runs)}>{escape(name)}{' (this model)' if runs else ''}</th>"
        f"<td>{embedding:.3f}</td><td>{encoding:.3f}</td><td>{_ratio(ratio)}</td></tr>"
        for name, embedding, encoding, ratio, runs in rows
    )
    head = ("", "mean length of an embedding", "of an encoding", "embedding ÷ encoding")
    return _table(head, body)


def _coincidence(summary: Summary) -> str:
    if summary.alike:
        return "all positions alike"
    if summary.nearest is None:
        return "none"
    return f"{summary.nearest.shift} apart: {summary.nearest.part:.1%} of a length"


def _wave(length: float | None) -> str:
    if length is None:
        return "no wave"
    return f"{length:,.0f}" if length >= 100 else f"{length:.2f}"


def _mark(holds: bool, nothing: bool, else_words: str) -> str:
    if nothing:
        return else_words
    return "✓ yes" if holds else "✗ no"


def _ratio(value: float) -> str:
    return f"{value:.3f}".replace("inf", "no encoding")


def _lit(chosen: bool) -> str:
    return ' class="positions-chosen"' if chosen else ""


def _table(head: Iterable[str], body: str) -> str:
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    return (
        f'<div class="loupe-scroll"><table class="loupe-table"><thead><tr>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
