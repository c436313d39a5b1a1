"""What the mask laboratory found, as tables of HTML."""

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from viz.pictures.html_table import Cell, Row, table
from viz.pictures.tokens import escape
from viz.run.record import KINDS
from viz.subjects.masks.batch import LabBatch
from viz.subjects.masks.effects import SentenceChange
from viz.subjects.masks.empty import EmptySource
from viz.subjects.masks.lab import LabRun, fill_name

_ROUNDING = 1e-4
"""What float32 may differ by between two ways to the same logits."""


def batch_table(batch: LabBatch, chosen: int) -> Markup:
    """Show the padded batch: a row for each sentence, the chosen one lit."""
    rows: list[Row] = []
    for sentence, (source, target) in enumerate(
        zip(batch.source_tokens, batch.written_tokens, strict=True)
    ):
        lit = "loupe-chosen" if sentence == chosen else ""
        rows.append(Row([f"{sentence + 1}", *map(_token, source)], lit))
        rows.append(Row(["", *map(_token, target)], lit))
    return table((), rows, base="loupe-batch")


def leaks_table(run: LabRun) -> Markup:
    """Show for each kind how much weight rows of tokens give to what they must not read."""
    rows = [
        (
            kind,
            _leak(run.leaks[kind].future.share.max(), kind),
            _leak(run.leaks[kind].padding.share.max()),
            f"{int(run.leaks[kind].masked_rows.sum())}",
            f"{int(run.leaks[kind].undefined_rows.sum())}",
        )
        for kind in KINDS
    ]
    header = ("", "to later tokens", "to padding", "rows without a key", "rows that are NaN")
    return table(header, rows, numeric=range(1, 5))


def changes_table(changes: Sequence[SentenceChange], batch: LabBatch) -> Markup:
    """Show how the output for each sentence differs from that of the run before."""
    rows = [
        (
            f"{number}",
            _number(change.logit_difference),
            f"{change.changed_tokens} of {len(change.positions)}",
            f"{_number(change.loss_before)} → {_number(change.loss_after)}",
            _agreement(change.alone_after),
            _changed_tokens(change),
        )
        for number, change in enumerate(changes, 1)
    ]
    header = (
        "sentence",
        "largest change of a logit",
        "best tokens changed",
        "loss, nats a token",
        "against the sentence alone",
        "now says",
    )
    assert len(changes) == len(batch.source_lengths)
    return table(header, rows, numeric=(1, 2, 3))


def empty_source_table(results: Iterable[tuple[str, EmptySource]]) -> Markup:
    """Show what became of a source of only padding, each under a name."""
    rows = [
        (
            name,
            fill_name(result.switches.fill),
            *(
                f"{'all hidden' if rows.masked else 'not hidden'}: {rows.outcome}"
                for rows in result.rows
            ),
            f"{result.undefined_positions} of {result.positions} NaN",
            _agreement(result.neighbour_difference),
        )
        for name, result in results
    ]
    header = (
        "",
        "fill",
        "weights of the encoder",
        "weights of cross-attention",
        "its logits",
        "the sentence beside it, against it alone",
    )
    return table(header, rows)


def _token(token: str) -> Cell:
    kind = "loupe-pad" if token == "<pad>" else ""
    return Cell(Markup("<bdi>{}</bdi>").format(escape(token)), kind)


def _leak(share: float, kind: str = "decoder self-attention") -> Cell:
    if kind != "decoder self-attention":
        return Cell("no future")
    words = f"{share:.2f} of a row" if share >= 0.005 else f"{share:.1g} of a row"
    return Cell(words, "loupe-fail") if share > 0 else Cell("0")


def _agreement(difference: float) -> str:
    if math.isnan(difference):
        return "NaN"
    if difference < _ROUNDING:
        return Markup('<span class="loupe-pass"><b>✓ same</b></span>, ±{:.1g}').format(difference)
    return Markup('<span class="loupe-fail"><b>✗ differs</b></span> by {:.2g}').format(difference)


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return f"{value:.3f}" if abs(value) >= 0.001 or value == 0 else f"{value:.1e}"


def _changed_tokens(change: SentenceChange) -> Markup:
    said = [
        Markup("{} → <b>{}</b>").format(
            escape(position.written), escape(position.after.token or "NaN")
        )
        for position in change.positions
        if position.changed
    ]
    more = f" and {len(said) - 4} more" if len(said) > 4 else ""
    return Markup(", ").join(said[:4]) + more
