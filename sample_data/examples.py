"""Sentences on which a way of decoding shows what it does, found for one checkpoint each."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "examples"
_MOST = 20
"""Examples of one sort that a file may have."""


@dataclass(frozen=True)
class DecodingExample:
    """One held-out source, and what two ways of writing make of it."""

    source: str
    target: str
    """The right one."""
    greedy: str
    """What the most probable token at each step gives."""
    other: str
    """What the beam finds, or what is drawn."""


@dataclass(frozen=True)
class DecodingExamples:
    """All that was found for a checkpoint."""

    weights: str
    """SHA-256 of the file of the weights that were searched with: others may write otherwise."""
    searched: int
    """Held-out sentences that were tried."""
    width: int
    length_penalty: float
    """Of the beam."""
    seed: int
    """Of the samples."""
    beam: tuple[DecodingExample, ...]
    """The beam writes the right target, of a higher probability, where greedy decoding does not."""
    sampling: tuple[DecodingExample, ...]
    """A sample is not the right target, and greedy decoding is."""


def weights_digest(checkpoint: Path) -> str:
    """Name the weights of a checkpoint by what is in their file. Raises OSError."""
    return hashlib.sha256(
        checkpoint.with_name(f"{checkpoint.name}.safetensors").read_bytes()
    ).hexdigest()


def examples_path(name: str) -> Path:
    """Return where the examples of a checkpoint are kept."""
    return FOLDER / f"{name}.json"


def write_examples(path: Path, found: DecodingExamples) -> None:
    """Write what was found."""
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(asdict(found), ensure_ascii=False, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def read_examples(path: Path) -> DecodingExamples | None:
    """Read what `write_examples` wrote; None where nothing was searched for.

    Raises ValueError on a file that says something else.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    try:
        lists = {name: _read_list(values.pop(name)) for name in ("beam", "sampling")}
        return DecodingExamples(**(values | lists))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} has no examples of decoding: {error}") from error


def _read_list(values: Sequence[dict[str, Any]]) -> tuple[DecodingExample, ...]:
    return tuple(DecodingExample(**value) for value in values[:_MOST])
