"""The path of a difference through a model, from the share that each patched cell restores."""

from collections.abc import Sequence
from dataclasses import dataclass

from model.attribution.patched_cells import Cell
from model.attribution.patching import Patching
from model.attribution.sublayers import Part
from viz.subjects.mattered.part_names import kind_of

LEAST_STEP = 0.25
"""The share of the difference that a sublayer or a head must restore at a position to be named."""
LEAST_HEAD = 0.1
HELD = 0.5
"""The share of the difference that a state must hold to count as holding it."""


@dataclass(frozen=True)
class HeadShare:
    """The share that one head restores at a position by its output."""

    head: int
    z: float


@dataclass(frozen=True)
class Step:
    """An attention that moves or changes the difference at one position."""

    part: Part
    position: int
    whole: float
    """The share that the whole sublayer restores there."""
    heads: tuple[HeadShare, ...]
    """The heads that matter, the strongest first."""
    brings: bool
    """Whether the difference first appears at this position here."""

    @property
    def strongest(self) -> HeadShare | None:
        """The head that restores most by itself, if any does."""
        return self.heads[0] if self.heads else None


@dataclass(frozen=True)
class Circuit:
    """The start of the difference, and its steps up to the word that differs."""

    starts: tuple[int, ...]
    """The positions of the source whose embeddings hold it."""
    steps: tuple[Step, ...]


def find_circuit(found: Patching, attentions: Sequence[Part]) -> Circuit:
    """Follow the difference through the attentions, in the order of the model."""
    shares = found.shares
    steps: list[Step] = []
    for part in attentions:
        positions = [
            cell.position
            for cell in found.cells
            if cell.what == "output"
            and cell.name == f"{part.sublayer}.output"
            and cell.position is not None
        ]
        candidates = [_step(found, part, position) for position in positions]
        steps += [step for step in candidates if _tells(step)]
    embedded = [
        (cell.position, share)
        for cell, share in shares.items()
        if cell.name == "source_embedding.output" and cell.position is not None
    ]
    starts = tuple(place for place, share in embedded if abs(share) >= LEAST_STEP)
    return Circuit(starts, tuple(steps))


def _step(found: Patching, part: Part, position: int) -> Step:
    shares = found.shares
    heads = sorted({cell.head for cell in found.cells if cell.head is not None})
    each = [
        HeadShare(head, shares[Cell("z", f"{part.sublayer}.heads", head, position)])
        for head in heads
    ]
    told = sorted((h for h in each if h.z >= LEAST_HEAD), key=lambda h: -h.z)
    whole = shares[Cell("output", f"{part.sublayer}.output", None, position)]
    before = shares[Cell("state", _stage_before(part), None, position)]
    return Step(part, position, whole, tuple(told), before < HELD)


def _tells(step: Step) -> bool:
    strongest = step.strongest
    return step.whole >= LEAST_STEP or (strongest is not None and strongest.z >= LEAST_STEP)


def _stage_before(part: Part) -> str:
    """Name the state that an attention reads."""
    layer, _, _ = part.sublayer.rpartition(".")
    if kind_of(part) == "cross-attention":
        return f"{layer}.after_self_attn"
    stack, _, number = layer.rpartition(".")
    if int(number):
        return f"{stack}.{int(number) - 1}.output"
    return "source_embedding.output" if stack.startswith("encoder") else "target_embedding.output"
