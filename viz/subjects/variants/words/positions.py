"""What is said of two other encodings of positions."""

import numpy as np

from model.config import Positions
from texts import say, say_of
from viz.pictures.numbers import number_text, percent_text
from viz.run.encodings import STILL_BELOW, STILL_OVER
from viz.subjects.variants.positions import BAND, JOINED, MOVED, Frequencies, Movement
from viz.subjects.variants.report import Lines, Report, Table

_NEAR = 0.05
"""Part of the largest possible distance below which two positions nearly coincide."""


def report_frequencies(found: Frequencies) -> Report:
    """Say which positions coincide, and what a sentence there suffers."""
    return Report(_say_frequencies(found), (_joined_table(found),), _frequency_lines(found))


def _say_frequencies(found: Frequencies) -> str:
    name, paper = found.variants
    near, far = found.nearest, found.furthest
    own, other = found.distances[name], found.distances[paper]
    at = {"near": near, "share": percent_text(own[near]), "paper": percent_text(other[near])}
    if own[near] >= _NEAR:
        return say("variants.none_coincide", most=len(own) - 1, **at)
    said = say(
        "variants.opposite" if own[far] > 1 - _NEAR else "variants.furthest",
        far=far,
        far_share=percent_text(own[far]),
        **at,
    )
    return " ".join(filter(None, (said, _say_moved(found), _say_joined(found))))


def _say_moved(found: Frequencies) -> str:
    if found.nearest not in MOVED:
        return ""
    name, paper = found.variants
    at = MOVED.index(found.nearest)
    moved, still = found.moved[name], found.moved[paper]
    return say(
        "variants.moved_blind" if moved[at] < 2 * moved[0] else "variants.moved_told",
        near=found.nearest,
        name=name,
        still=number_text(moved[0]),
        moved=number_text(moved[at]),
        paper_still=number_text(still[0]),
        paper_moved=number_text(still[at]),
    )


def _say_joined(found: Frequencies) -> str:
    own, paper = (found.joined[name] for name in found.variants)
    if not len(own):
        return ""
    first = BAND * (len(own) - 1)
    return say(
        "variants.joined_lower" if own[-1] < paper[-1] else "variants.joined_not_lower",
        first=first,
        last=first + BAND - 1,
        name=found.variants[0],
        loss=number_text(own[-1]),
        paper=number_text(paper[-1]),
    )


def _joined_table(found: Frequencies) -> Table:
    bands = range(len(found.joined[found.variants[0]]))
    head = (say("variants.band", first=BAND * i, last=BAND * (i + 1) - 1) for i in bands)
    rows = tuple((name, *map(float, found.joined[name])) for name in found.variants)
    return Table(say("variants.joined_table", count=JOINED), ("", *head), rows)


def _frequency_lines(found: Frequencies) -> tuple[Lines, ...]:
    marks = (float(found.furthest), float(found.nearest))
    return (
        Lines(
            title=say("variants.distance_lines"),
            x_title=say("variants.distance_x"),
            y_title=say("variants.distance_y"),
            x=np.arange(float(len(found.distances[found.variants[0]]))),
            lines=found.distances,
            marks=marks,
        ),
        Lines(
            title=say("variants.moved_lines"),
            x_title=say("variants.moved_x"),
            y_title=say("variants.moved_y"),
            x=np.array(MOVED, dtype=float),
            lines=found.moved,
            marks=marks,
        ),
    )


def report_movement(found: Movement) -> Report:
    """Compare the variant's count of still dimensions with the paper's."""
    (kind, own), (_, paper) = found.still.items()
    total = len(found.spans[kind])
    counted = {
        "kind": _name(kind),
        "still": own,
        "count": total,
        "below": STILL_BELOW,
        "positions": STILL_OVER,
        "paper": paper,
    }
    if own == paper:
        verdict = say("variants.still_as_many", **counted)
    else:
        verdict = say("variants.still_more" if own > paper else "variants.still_fewer", **counted)
    head = (
        "",
        say("variants.still_column", below=STILL_BELOW),
        say("variants.dimensions_column"),
    )
    rows = tuple(
        (_name(kind), count, len(found.spans[kind])) for kind, count in found.still.items()
    )
    lines = Lines(
        title=say("variants.range_lines", positions=STILL_OVER),
        x_title=say("variants.range_x"),
        y_title=say("variants.range_y"),
        x=np.arange(float(total)),
        lines={_name(kind): spans for kind, spans in found.spans.items()},
    )
    title = say("variants.still_table", positions=STILL_OVER)
    return Report(verdict, (Table(title, head, rows),), (lines,))


def _name(kind: Positions) -> str:
    return say_of("config.position_name", kind)
