"""What is said of padding that is read, and of a row that may read nothing."""

import numpy as np

from viz.pictures.numbers import number_text
from viz.subjects.masks.lab import fill_name
from viz.subjects.variants.padding import PADS, EmptyRow, Padding
from viz.subjects.variants.report import Lines, Report, Table


def report_padding(found: Padding) -> Report:
    """Say whose output depends on the padding."""
    header = ("", "encoder hides padding", "largest change", "most probable tokens changed")
    rows = tuple(
        (
            each.name,
            "yes" if each.encoder_masks else "no",
            float(each.differences[-1]),
            f"{each.changed} of {each.positions}",
        )
        for each in found.variants
    )
    lines = Lines(
        title="Largest change of a log-probability",
        x_title="<pad> after the source",
        y_title="nats",
        x=np.array(PADS, dtype=float),
        lines={each.name: each.differences for each in found.variants},
    )
    table = Table(f"{PADS[-1]} <pad> after each source", header, rows)
    return Report(_say_padding(found), (table,), (lines,))


def _say_padding(found: Padding) -> str:
    parts = [
        f"{each.name} gives other probabilities when {PADS[-1]} <pad> follow: a log-probability "
        f"changes by up to {number_text(float(each.differences[-1]))}, and "
        f"{each.changed or 'none'} of {each.positions} most probable tokens changed."
        for each in found.variants
        if not each.same
    ]
    if same := [each.name for each in found.variants if each.same]:
        parts.append(f"{', '.join(same)}: as without padding, up to rounding.")
    return " ".join(parts)


def report_empty_row(found: EmptyRow) -> Report:
    """Say what became of a row without keys under each fill."""
    verdict = " ".join(f"With {fill_name(r.switches.fill)}: {r.verdict}" for r in found.results)
    header = ("filled with", "encoder weights", "cross-attention weights", "its logits")
    rows = tuple(
        (
            fill_name(result.switches.fill),
            *(rows.outcome for rows in result.rows),
            f"{result.undefined_positions} of {result.positions} NaN",
        )
        for result in found.results
    )
    return Report(verdict, (Table("A source of nothing but <pad>, all masks on", header, rows),))
