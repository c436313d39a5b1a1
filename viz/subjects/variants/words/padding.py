"""What is said of padding that is read, and of a row that may read nothing."""

import numpy as np

from texts import listed, say, say_of
from viz.pictures.numbers import number_text
from viz.subjects.masks.lab import fill_name
from viz.subjects.variants.padding import PADS, EmptyRow, Padded, Padding
from viz.subjects.variants.report import Lines, Report, Table


def report_padding(found: Padding) -> Report:
    """Say whose output depends on the padding."""
    header = (
        "",
        say("variants.pads_hides"),
        say("variants.pads_largest"),
        say("variants.pads_tokens"),
    )
    rows = tuple(
        (
            each.name,
            say_of("variants.value", "yes" if each.encoder_masks else "no"),
            float(each.differences[-1]),
            say("variants.pads_of", changed=each.changed, positions=each.positions),
        )
        for each in found.variants
    )
    lines = Lines(
        title=say("variants.pads_lines"),
        x_title=say("variants.pads_x"),
        y_title=say("variants.pads_y"),
        x=np.array(PADS, dtype=float),
        lines={each.name: each.differences for each in found.variants},
    )
    table = Table(say("variants.pads_table", pads=PADS[-1]), header, rows)
    return Report(_say_padding(found), (table,), (lines,))


def _say_padding(found: Padding) -> str:
    parts = [_say_changed(each) for each in found.variants if not each.same]
    if same := [each.name for each in found.variants if each.same]:
        parts.append(say("variants.pads_same", names=listed(same)))
    return " ".join(parts)


def _say_changed(found: Padded) -> str:
    return say(
        "variants.pads_changed" if found.changed else "variants.pads_none_changed",
        name=found.name,
        pads=PADS[-1],
        largest=number_text(float(found.differences[-1])),
        changed=found.changed,
        positions=found.positions,
    )


def report_empty_row(found: EmptyRow) -> Report:
    """Say what became of a row without keys under each fill."""
    verdict = " ".join(
        say("variants.with_fill", fill=fill_name(r.switches.fill), verdict=r.verdict)
        for r in found.results
    )
    header = (
        say("variants.fill_with"),
        say("variants.fill_encoder"),
        say("variants.fill_cross"),
        say("variants.fill_logits"),
    )
    rows = tuple(
        (
            fill_name(result.switches.fill),
            *(say_of("variants.outcome", rows.outcome) for rows in result.rows),
            say(
                "variants.fill_undefined",
                undefined=result.undefined_positions,
                positions=result.positions,
            ),
        )
        for result in found.results
    )
    return Report(verdict, (Table(say("variants.fill_table"), header, rows),))
