"""How often each measure of what mattered agrees with the gold alignment and with swapping words.

What `sample_data.measures` found for a checkpoint, in a file of `recorded/measures/`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "recorded" / "measures"
POSITION = "position"
"""The baseline: the source token as far along its text as the row is along its own."""


@dataclass(frozen=True)
class Agreement:
    """One measure over held-out sentences."""

    gold: float | None
    """Share of the rows in which its largest number is at a gold source token."""
    swap: float | None
    """Share of the rows in which it is at the word whose swap costs most."""
    rank: float | None
    """Mean over those rows of its rank correlation with what the swaps cost (Spearman)."""


@dataclass(frozen=True)
class Agreements:
    """All measures of a checkpoint."""

    weights: str
    """SHA-256 of the file of the weights that were measured: of others nothing is known."""
    sentences: int
    """Held-out ones, the first of the file."""
    gold_rows: int
    """Rows that have a gold source token."""
    swap_rows: int
    """Rows in which some swap costs enough, of three words or more that can be swapped."""
    least_cost: float
    """What is enough, in nats."""
    steps: int
    """Of integrated gradients."""
    mean_error: float
    """How far their sum is from what it should be, in nats: mean over all rows."""
    largest_error: float
    measures: Mapping[str, Agreement]


def agreement_path(name: str) -> Path:
    """Return where the agreements of a checkpoint are kept."""
    return FOLDER / f"{name}.json"


def write_agreements(path: Path, found: Agreements) -> None:
    """Write what was found."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{json.dumps(asdict(found), indent=1)}\n", encoding="utf-8", newline="\n")


def read_agreements(path: Path) -> Agreements | None:
    """Read what `write_agreements` wrote; None where nothing was measured.

    Raises ValueError on a file that says something else.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        values = json.loads(text)
        measures = {name: Agreement(**found) for name, found in values.pop("measures").items()}
        return Agreements(**values, measures=measures)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} has no agreements of measures: {error}") from error
