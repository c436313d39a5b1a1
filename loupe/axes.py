"""Names of the rows and columns of attentions: tokens only if a pass proves it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from torch import Tensor

from loupe.records import AxisNames, Tokens
from model.config import Side
from model.foreign.recording.labels import NOTHING
from model.foreign.recording.plan import Known, StalePlanError, own_name
from model.foreign.recording.reads import Axis, Reads, Row

UNKNOWN = "?"
"""The name of an unknown token, which the last row of a given target writes."""
_OF_TARGETS = ("decoder", "tgt", "target")


class Said(NamedTuple):
    """The texts of a run, and how a model reads them."""

    tokens: Tokens
    given: Sequence[Tensor]
    """The inputs that hold texts, in the order in which provenance numbers them."""
    writes: bool
    """Whether a row of the target is named after the token that follows the one it reads."""
    has_past: bool
    """Whether the model was given a cache of earlier tokens."""


def axes_of(
    sizes: Mapping[str, tuple[int, int]], known: Known, said: Said, *, strict: bool
) -> dict[str, AxisNames]:
    """Name the rows and columns of the attentions of a pass.

    Args:
        sizes: Rows and columns of each attention by its name.
        known: The facts that an earlier pass of this model showed.
        said: The texts.
        strict: Whether to raise StalePlanError if this pass differs from that one.
    """
    names: dict[str, AxisNames] = {}
    made: dict[tuple[int, int, int], AxisNames | None] = {}  # layers share Reads
    for call, reads in known.reads.items():
        name = known.plan.attentions.get(call) if known.plan else own_name(*call)
        if name is None or name not in sizes:
            continue
        key = id(reads), *sizes[name]
        if key not in made:
            made[key] = _names_of(reads, sizes[name], known, said, strict=strict)
        found = made[key]
        if found is None:
            raise StalePlanError(f"the rows of {name} differ from those in an earlier pass")
        names[name] = found
    if strict and set(sizes) - set(names):
        raise StalePlanError("an attention ran that did not run in an earlier pass")
    return names


def _names_of(
    reads: Reads, size: tuple[int, int], known: Known, said: Said, *, strict: bool
) -> AxisNames | None:
    """Name rows and columns; None if, strictly, another pass showed others."""
    rows, columns = size
    sides = reads.query.of_size(rows, said.given), reads.key.of_size(columns, said.given)
    if strict and None in sides:
        return None
    of_image = bool(reads.query.grids or reads.key.grids or _is_of_image(said.given))
    if of_image and reads.parts > 1:  # positions in one window are not positions in the image
        sides = None, None
    return AxisNames(
        _named(sides[0], rows, reads.query, known.texts, said, writes=said.writes),
        _named(sides[1], columns, reads.key, known.texts, said),
        reads.is_own,
        reads.is_causal,
        reads.parts,
        of_image,
    )


def _is_of_image(given: Sequence[Tensor]) -> bool:
    return any(x.dim() == 4 for x in given)


def _named(
    rows: Sequence[Row] | None,
    size: int,
    axis: Axis,
    texts: Sequence[str | int],
    said: Said,
    *,
    writes: bool = False,
) -> tuple[str, ...]:
    """Name rows by their tokens or positions, else by numbers; rows beside a text are memory."""
    if rows is None or not axis.inputs:
        return tuple(map(str, range(size)))
    names: list[str] = []
    memories = 0
    for i, row in enumerate(rows):
        if isinstance(row, tuple):
            names.append(_token(*row, axis, texts, said, writes=writes))
        elif row == NOTHING and not axis.grids:
            memories += 1
            names.append(f"{'past' if said.has_past else 'memory'} {memories}")
        else:
            names.append(str(i))
    return tuple(names)


def _token(
    n: int, at: int, axis: Axis, texts: Sequence[str | int], said: Said, *, writes: bool
) -> str:
    if n in axis.grids:
        row, column = divmod(at, axis.grids[n][1])
        return f"{row + 1},{column + 1}"
    side = sides_of(texts).get(n)
    if side is None:
        own = texts[n] if n < len(texts) else ""
        return f"{own} {at + 1}" if isinstance(own, str) and own else str(at)
    words = getattr(said.tokens, side)
    if not words and not n:  # a decoder's only text is its target
        words = said.tokens.target
    if writes and side == "target":
        return words[at + 1] if at + 1 < len(words) else UNKNOWN
    return words[at] if at < len(words) else str(at)


def sides_of(texts: Sequence[str | int]) -> dict[int, Side]:
    """Return which inputs are the two texts: by their names, else in their order."""
    sides: dict[int, Side] = {}
    for n, name in enumerate(texts):
        is_target = isinstance(name, str) and name.startswith(_OF_TARGETS)
        side: Side = "target" if is_target or (isinstance(name, int) and n == 1) else "source"
        if side not in sides.values():
            sides[n] = side
    return sides
