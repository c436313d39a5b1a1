"""What was measured about positions, as tables of HTML."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from viz.pictures.html_table import Cell, table
from viz.pictures.tokens import escape
from viz.subjects.positions.words import FAR, IDLE_OVER, NAMES, Summary


def summaries_table(summaries: Iterable[Summary], chosen: str) -> Markup:
    """Set encodings of one size beside each other, the chosen kind lit."""
    rows = [
        (
            _name(NAMES[s.kind], s.kind == chosen),
            _wave(s.longest_wave),
            f"{s.idle}",
            _coincidence(s),
            _mark(s.rotates, s.alike, "nothing to turn"),
            _mark(s.by_offset, s.alike, "all are 0"),
        )
        for s in summaries
    ]
    header = (
        "",
        "longest wave, positions",
        f"dimensions that hardly move over {IDLE_OVER} positions",
        f"nearer than neighbours, within {FAR} positions",
        "a shift is a rotation",
        "products depend on i − j alone",
    )
    return table(header, rows, numeric=(1, 2))


def rerun_table(rows: Iterable[tuple[str, float, int, int, str]]) -> Markup:
    """Compare runs: name, loss, how many tokens the model itself put first, of how many, text."""
    header = ("", "loss, nats a token", "tokens it would write itself", "writes greedily")
    shown = [
        (
            name,
            f"{loss:.3f}",
            f"{first} of {count}",
            Markup('<span dir="auto">{}</span>').format(escape(text or "(no words)")),
        )
        for name, loss, first, count, text in rows
    ]
    return table(header, shown, numeric=(1, 2))


def ratios_table(rows: Sequence[tuple[str, float, float, float, bool]]) -> Markup:
    """Compare lengths with the scale on and off: words, embedding, encoding, ratio, if it runs."""
    header = ("", "mean length of an embedding", "of an encoding", "embedding ÷ encoding")
    shown = [
        (
            _name(f"{name}{' (this model)' if runs else ''}", runs),
            f"{embedding:.3f}",
            f"{encoding:.3f}",
            _ratio(ratio),
        )
        for name, embedding, encoding, ratio, runs in rows
    ]
    return table(header, shown, numeric=(1, 2, 3))


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


def _name(name: str, chosen: bool) -> Cell:
    return Cell(name, "positions-chosen" if chosen else "")
