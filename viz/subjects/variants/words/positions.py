"""What is said of two other encodings of positions."""

import numpy as np

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
    if own[near] >= _NEAR:
        return (
            f"No two positions up to {len(own) - 1} apart coincide: the nearest, {near} apart, "
            f"are at {percent_text(own[near])} of the largest distance (the paper's: "
            f"{percent_text(other[near])})."
        )
    opposite = "opposite" if own[far] > 1 - _NEAR else "furthest apart"
    return (
        f"Positions {near} apart nearly coincide: {percent_text(own[near])} of the largest "
        f"distance (the paper's: {percent_text(other[near])}); {far} apart they are at "
        f"{percent_text(own[far])}, {opposite}.{_say_moved(found)}{_say_joined(found)}"
    )


def _say_moved(found: Frequencies) -> str:
    if found.nearest not in MOVED:
        return ""
    name, paper = found.variants
    at = MOVED.index(found.nearest)
    moved, still = found.moved[name], found.moved[paper]
    blind = moved[at] < 2 * moved[0]
    return (
        f" Moved by {found.nearest} places, the loss of {name} goes from {number_text(moved[0])} "
        f"to {number_text(moved[at])}: it {'cannot tell' if blind else 'can tell'} the two apart; "
        f"the paper's goes from {number_text(still[0])} to {number_text(still[at])}."
    )


def _say_joined(found: Frequencies) -> str:
    own, paper = (found.joined[name] for name in found.variants)
    if not len(own):
        return ""
    first = BAND * (len(own) - 1)
    than = "lower than" if own[-1] < paper[-1] else "not lower than"
    return (
        f" In sentences joined into long texts, at target positions {first} to "
        f"{first + BAND - 1}, {found.variants[0]} has a loss of {number_text(own[-1])}, {than} the "
        f"paper's {number_text(paper[-1])}; neither was trained on texts this long."
    )


def _joined_table(found: Frequencies) -> Table:
    bands = len(found.joined[found.variants[0]])
    head = tuple(f"{BAND * i} to {BAND * (i + 1) - 1}" for i in range(bands))
    rows = tuple((name, *map(float, found.joined[name])) for name in found.variants)
    return Table(f"Loss at target positions of {JOINED} sentences joined", ("", *head), rows)


def _frequency_lines(found: Frequencies) -> tuple[Lines, ...]:
    marks = (float(found.furthest), float(found.nearest))
    return (
        Lines(
            title="Distance of two positions",
            x_title="places apart",
            y_title="part of the largest",
            x=np.arange(float(len(found.distances[found.variants[0]]))),
            lines=found.distances,
            marks=marks,
        ),
        Lines(
            title="Loss of sentences moved by some places",
            x_title="places moved",
            y_title="nats a token",
            x=np.array(MOVED, dtype=float),
            lines=found.moved,
            marks=marks,
        ),
    )


def report_movement(found: Movement) -> Report:
    """Compare the variant's count of still dimensions with the paper's."""
    (kind, own), (_, paper) = found.still.items()
    total = len(found.spans[kind])
    than = "more than" if own > paper else "fewer than" if own < paper else "as many as"
    verdict = (
        f"With {kind} positions {own} of {total} dimensions have a range of less than "
        f"{STILL_BELOW:g} over {STILL_OVER} positions, where a whole wave has 2 (from −1 to 1): "
        f"{than} the paper's {paper}."
    )
    head = ("", f"range below {STILL_BELOW:g}", "dimensions")
    rows = tuple((kind, count, len(found.spans[kind])) for kind, count in found.still.items())
    lines = Lines(
        title=f"Range of each dimension over {STILL_OVER} positions",
        x_title="dimension",
        y_title="range of its values",
        x=np.arange(float(total)),
        lines=found.spans,
    )
    title = f"Dimensions that hardly move over {STILL_OVER} positions"
    return Report(verdict, (Table(title, head, rows),), (lines,))
