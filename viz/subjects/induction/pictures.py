"""The picture of the two heads that copy, and its data."""

from collections.abc import Sequence

from model.attribution.copying import HeadReading
from viz.pictures.component import picture
from viz.subjects.induction.head_search import Trick, head_name
from viz.subjects.induction.wire import WireReader, WireTrick

MOST_TOKENS = 120
"""The largest number of rows drawn; more fill no screen, and their weights take time to send."""
_trick = picture("trick", "subjects/induction/browser/trick.js")


def show_trick(trick: Trick, run: str, *, key: str) -> None:
    """Show a text, and what either head reads in the selected row.

    Args:
        trick: The text, and the heads.
        run: The key of the run; another run begins with its own row.
        key: The key of the picture.
    """
    _trick(key=key, data=_packed(trick, run))


def _packed(trick: Trick, run: str) -> WireTrick:
    """Pack the rows that are drawn."""
    shown = min(len(trick.tokens), MOST_TOKENS)
    with_copies = [row for row in range(shown) if trick.followers[row]]
    before = [[place - 1] if place else [] for place in range(shown)]
    row = trick.row if trick.row < shown else (with_copies or [0])[-1]
    return {
        "run": run,
        "tokens": list(trick.tokens[:shown]),
        "followers": [list(places) for places in trick.followers[:shown]],
        "copier": _reader(trick, trick.copier, trick.followers[:shown]),
        "before": _reader(trick, trick.before, before) if trick.before else None,
        "likeliest": list(trick.likeliest[:shown]),
        "chances": list(trick.chances[:shown]),
        "row": row,
    }


def _reader(trick: Trick, reading: HeadReading, counting: Sequence[Sequence[int]]) -> WireReader:
    """Pack a head, and for each row whether it reads the tokens that count there."""
    shown = len(counting)
    weights = trick.weights[reading.layer, reading.head, :shown, :shown]
    return {
        "name": head_name(reading.layer, reading.head),
        "weights": [
            [_thousandths(weight) for weight in row[: place + 1]]
            for place, row in enumerate(weights.tolist())
        ],
        "does": [
            trick.is_there and trick.does(reading, row, columns)
            for row, columns in enumerate(counting)
        ],
    }


def _thousandths(weight: float) -> float:
    """Round a weight, but not to 0 or to 1: the page writes "< 0.1%" and "> 99.9%" instead."""
    rounded = round(1000 * weight)
    return rounded if 0 < rounded < 1000 else round(1000 * weight, 3)
