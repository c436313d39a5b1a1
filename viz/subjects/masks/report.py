"""What the mask laboratory found, as tables of HTML."""

import math
from collections.abc import Iterable, Sequence

from viz.pictures.tokens import escape
from viz.run.record import KINDS
from viz.subjects.masks.batch import LabBatch
from viz.subjects.masks.effects import SentenceChange
from viz.subjects.masks.empty import EmptySource
from viz.subjects.masks.lab import LabRun, fill_name

_ROUNDING = 1e-4
"""What float32 may differ by between two ways to the same logits."""


def batch_table(batch: LabBatch, chosen: int) -> str:
    """Show the padded batch: a row for each sentence, the chosen one lit."""
    rows = []
    for sentence, (source, target) in enumerate(
        zip(batch.source_tokens, batch.written_tokens, strict=True)
    ):
        lit = ' class="loupe-chosen"' if sentence == chosen else ""
        rows.append(
            f"<tr{lit}><th>{sentence + 1}</th>{_cells(source)}</tr>"
            f"<tr{lit}><td></td>{_cells(target)}</tr>"
        )
    return f'<div class="loupe-scroll"><table class="loupe-batch">{"".join(rows)}</table></div>'


def leaks_table(run: LabRun) -> str:
    """Show for each kind how much weight rows of tokens give to what they must not read."""
    body = "".join(
        f"<tr><th>{kind}</th>{_leak(run.leaks[kind].future.share.max(), kind)}"
        f"{_leak(run.leaks[kind].padding.share.max())}"
        f"<td>{int(run.leaks[kind].masked_rows.sum())}</td>"
        f"<td>{int(run.leaks[kind].undefined_rows.sum())}</td></tr>"
        for kind in KINDS
    )
    return _table(
        ("", "to later tokens", "to padding", "rows without a key", "rows that are NaN"), body
    )


def changes_table(changes: Sequence[SentenceChange], batch: LabBatch) -> str:
    """Show how the output for each sentence differs from that of the run before."""
    body = "".join(
        f"<tr><th>{number}</th><td>{_number(change.logit_difference)}</td>"
        f"<td>{change.changed_tokens} of {len(change.positions)}</td>"
        f"<td>{_number(change.loss_before)} → {_number(change.loss_after)}</td>"
        f"<td>{_agreement(change.alone_after)}</td>"
        f"<td>{_changed_tokens(change)}</td></tr>"
        for number, change in enumerate(changes, 1)
    )
    head = (
        "sentence",
        "largest change of a logit",
        "best tokens changed",
        "loss, nats a token",
        "against the sentence alone",
        "now says",
    )
    assert len(changes) == len(batch.source_lengths)
    return _table(head, body)


def empty_source_table(results: Iterable[tuple[str, EmptySource]]) -> str:
    """Show what became of a source of only padding, each under a name."""
    body = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(fill_name(result.switches.fill))}</td>"
        + "".join(
            f"<td>{'all hidden' if rows.masked else 'not hidden'}: {rows.outcome}</td>"
            for rows in result.rows
        )
        + f"<td>{result.undefined_positions} of {result.positions} NaN</td>"
        f"<td>{_agreement(result.neighbour_difference)}</td></tr>"
        for name, result in results
    )
    head = (
        "",
        "fill",
        "weights of the encoder",
        "weights of cross-attention",
        "its logits",
        "the sentence beside it, against it alone",
    )
    return _table(head, body)


def _table(head: Iterable[str], body: str) -> str:
    names = "".join(f"<th>{name}</th>" for name in head)
    return (
        f'<div class="loupe-scroll"><table class="loupe-table"><thead><tr>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cells(tokens: Sequence[str]) -> str:
    return "".join(f"<td{_pad_class(token)}><bdi>{escape(token)}</bdi></td>" for token in tokens)


def _pad_class(token: str) -> str:
    return ' class="loupe-pad"' if token == "<pad>" else ""


def _leak(share: float, kind: str = "decoder self-attention") -> str:
    if kind != "decoder self-attention":
        return "<td>no future</td>"
    words = f"{share:.2f} of a row" if share >= 0.005 else f"{share:.1g} of a row"
    return f'<td class="loupe-fail">{words}</td>' if share > 0 else "<td>0</td>"


def _agreement(difference: float) -> str:
    if math.isnan(difference):
        return "NaN"
    if difference < _ROUNDING:
        return f'<span class="loupe-pass"><b>✓ same</b></span>, ±{difference:.1g}'
    return f'<span class="loupe-fail"><b>✗ differs</b></span> by {difference:.2g}'


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return f"{value:.3f}" if abs(value) >= 0.001 or value == 0 else f"{value:.1e}"


def _changed_tokens(change: SentenceChange) -> str:
    said = [
        f"{escape(position.written)} → <b>{escape(position.after.token or 'NaN')}</b>"
        for position in change.positions
        if position.changed
    ]
    more = f" and {len(said) - 4} more" if len(said) > 4 else ""
    return ", ".join(said[:4]) + more
