"""What was measured of a model of one text by cutting its heads, and its file."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "recorded" / "heads"


@dataclass(frozen=True)
class Reading:
    """What one head reads, in the mean over held-out texts."""

    layer: int
    head: int
    looks: float
    """Weight on the tokens that decide a known word."""
    previous: float
    """Weight on the token before its own."""


@dataclass(frozen=True)
class HeadCut:
    """How a model does without some of its heads."""

    cut: tuple[tuple[int, int], ...]
    """Layer and head of each; none for the model as it is."""
    right: float
    """Share of the known words that are told rightly."""
    loss: float
    """Nats of the right choice of a known word."""
    kinds: dict[str, float]
    """Share of those of each kind."""
    readings: tuple[Reading, ...]
    """Of every head: one that is cut still reads, but nothing of it is heard."""

    def reading(self, layer: int, head: int) -> Reading:
        """Find what one head reads."""
        return next(r for r in self.readings if (r.layer, r.head) == (layer, head))


@dataclass(frozen=True)
class HeadTable:
    """All that was measured of one model."""

    weights: str
    """SHA-256 of the file of its weights: what was measured holds for no others."""
    texts: int
    """Held-out texts."""
    mean_texts: int
    """Other texts, over which the means are taken that stand in the place of a head."""
    chance: float
    """Weight on what decides of a head that reads all it may alike."""
    whole: HeadCut
    """The model as it is."""
    cuts: tuple[HeadCut, ...]
    """Each head alone, then each layer: the dearest first in either."""

    def ranked(self) -> tuple[HeadCut, ...]:
        """Return the cuts of one head, the one that costs most first."""
        return tuple(cut for cut in self.cuts if len(cut.cut) == 1)


def head_table_path(name: str) -> Path:
    """Return where the table of a checkpoint is kept."""
    return FOLDER / f"{name}.json"


def write_head_table(path: Path, table: HeadTable) -> None:
    """Write what was measured, a line for each cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = _rounded(asdict(table))
    rows = ",\n".join(f"  {json.dumps(row)}" for row in plain.pop("cuts"))
    fields = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in plain.items()]
    text = "{\n" + ",\n".join([*fields, f' "cuts": [\n{rows}\n ]']) + "\n}\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def read_head_table(path: Path) -> HeadTable | None:
    """Read what `write_head_table` wrote; None where nothing was measured.

    Raises ValueError on a file that says something else.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    try:
        cuts = tuple(_cut(cut) for cut in values["cuts"])
        return HeadTable(**(values | {"whole": _cut(values["whole"]), "cuts": cuts}))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} has no table of the heads of a model: {error}") from error


def _cut(values: dict[str, Any]) -> HeadCut:
    readings = tuple(Reading(**reading) for reading in values["readings"])
    cut = tuple((int(layer), int(head)) for layer, head in values["cut"])
    return HeadCut(**(values | {"cut": cut, "readings": readings}))


def _rounded(value: Any) -> Any:  # noqa: ANN401 - what JSON holds
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value
