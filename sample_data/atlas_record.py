"""What was measured of a model by cutting parts of it, over held-out sentences, and its file."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "recorded" / "atlas"
_MOST = 4000
"""Cuts, or pairs, that a file may have."""


@dataclass(frozen=True)
class CutScore:
    """How a model does without one part."""

    sublayer: str
    """Path of its module: `decoder.layers.1.cross_attn`."""
    head: int | None
    """None for the whole sublayer."""
    how: str
    """What stands in its place: zero, mean or even."""
    loss: float
    """Mean nats of a target token."""
    exact: float
    """Share of sentences that are right to the last token."""


@dataclass(frozen=True)
class PairScore:
    """How much more two heads cost together than each costs alone: they can stand in for another.

    In nats of loss, against the model as it is; each is replaced by its average.
    """

    first: tuple[str, int]
    """Sublayer and head."""
    second: tuple[str, int]
    first_alone: float
    second_alone: float
    together: float

    @property
    def interaction(self) -> float:
        """What both cost together beyond the sum."""
        return self.together - self.first_alone - self.second_alone


@dataclass(frozen=True)
class Atlas:
    """All that was measured of one model."""

    weights: str
    """SHA-256 of the file of its weights: what was measured holds for no others."""
    sentences: int
    """Held-out sentences, the first ones of the file."""
    pair_sentences: int
    """As many of them for the pairs."""
    mean_sentences: int
    """Other sentences, over which the averages are taken."""
    loss: float
    """Of the model as it is."""
    exact: float
    cuts: tuple[CutScore, ...]
    pairs: tuple[PairScore, ...]
    """Those of the largest interaction, the largest first."""


def atlas_path(name: str) -> Path:
    """Return where the atlas of a checkpoint is kept."""
    return FOLDER / f"{name}.json"


def write_atlas(path: Path, atlas: Atlas) -> None:
    """Write what was measured, a line for each cut and each pair."""
    path.parent.mkdir(exist_ok=True)
    plain = to_plain(atlas)
    lists = {name: plain.pop(name) for name in ("cuts", "pairs")}
    rows = {
        name: "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in found) + "\n ]"
        for name, found in lists.items()
    }
    fields = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in plain.items()]
    fields += [f' "{name}": {text}' for name, text in rows.items()]
    path.write_text("{\n" + ",\n".join(fields) + "\n}\n", encoding="utf-8", newline="\n")


def read_atlas(path: Path) -> Atlas | None:
    """Read what `write_atlas` wrote; None where nothing was measured.

    Raises ValueError on a file that says something else.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    try:
        return from_plain(values)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} has no atlas of a model: {error}") from error


def to_plain(atlas: Atlas) -> dict[str, Any]:
    """Return an atlas as plain values of JSON, rounded to five decimals."""
    return _rounded(asdict(atlas))


def from_plain(values: dict[str, Any]) -> Atlas:
    """Read what `to_plain` gave. Raises AttributeError, KeyError or TypeError on anything else."""
    cuts = tuple(CutScore(**value) for value in values["cuts"][:_MOST])
    pairs = tuple(_pair(value) for value in values["pairs"][:_MOST])
    return Atlas(**(values | {"cuts": cuts, "pairs": pairs}))


def _pair(values: dict[str, Any]) -> PairScore:
    heads: dict[str, Any] = {n: (str(values[n][0]), int(values[n][1])) for n in ("first", "second")}
    return PairScore(**(values | heads))


def _rounded(value: Any) -> Any:  # noqa: ANN401 - what JSON holds
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value
