"""The cells of a model that can be patched, and the edits that copy them between runs."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from model.attribution.sublayers import sublayers
from model.config import TransformerConfig
from model.edits import Edit, Edits
from model.tensor_names import tensor_names
from model.traces import TransformerTrace, find_tensor

What = Literal["state", "output", "z", "row"]
"""`state`: the residual stream at a stage. `output`: the contribution of a whole attention to it.

`z`: one head's result, before the output projection. `row`: one head's attention pattern, with its
values unchanged.
"""

_STAGE = re.compile(r"(source|target)_embedding\.output|\w+\.layers\.\d+\.(after_\w+|output)")


@dataclass(frozen=True)
class Cell:
    """One part of the model to patch."""

    what: What
    name: str
    """The name of the captured tensor."""
    head: int | None
    """The head's number; None for all heads, or if there are none."""
    position: int | None
    """The position in the patched sentence, whose rows the tensor has; None for all positions."""

    @property
    def is_source(self) -> bool:
        """Whether its positions are those of the source rather than of the target."""
        return is_of_source(self.name)


def is_of_source(name: str) -> bool:
    """Return whether the positions of a tensor are those of the source, by its name."""
    return name.startswith(("source_embedding", "encoder."))


def cells(config: TransformerConfig, source: int, target: int) -> tuple[Cell, ...]:
    """List every cell, for a corrupt source and a prefix of given lengths.

    The cells are each stage of the residual stream at each position, the output and the rows of
    each attention, and the z and the row of each head, at each position and at all of them.
    """
    found: list[Cell] = []
    for name in stages(config):
        size = source if Cell("state", name, None, None).is_source else target
        found += [Cell("state", name, None, place) for place in range(size)]
    for attention in (part.sublayer for part in sublayers(config) if part.is_attention):
        places = (None, *range(source if attention.startswith("encoder") else target))
        found += [Cell("output", f"{attention}.output", None, place) for place in places]
        found += [Cell("row", f"{attention}.weights", None, place) for place in places]
        for head in range(config.n_heads):
            found += [Cell("z", f"{attention}.heads", head, place) for place in places]
            found += [Cell("row", f"{attention}.weights", head, place) for place in places]
    return tuple(found)


def stages(config: TransformerConfig) -> tuple[str, ...]:
    """Name the residual stream: the embeddings, and the state after each sublayer."""
    return stages_among(tensor_names(config))


def stages_among(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that belong to the residual stream, after the embeddings or a sublayer."""
    return tuple(name for name in names if _STAGE.fullmatch(name))


def patch_edits(
    patched: Sequence[Cell],
    clean: TransformerTrace | Mapping[str, Tensor],
    pairs: Sequence[int | None],
) -> Edits:
    """Make the edits of a batch whose row i has cell i patched from a clean run.

    The clean run is a trace, or its tensors by name.
    """
    by_name: dict[str, list[tuple[int, Cell]]] = defaultdict(list)
    for row, cell in enumerate(patched):
        by_name[cell.name].append((row, cell))
    return Edits({name: _patched(found, clean, pairs) for name, found in by_name.items()})


def _patched(
    found: Sequence[tuple[int, Cell]],
    clean: TransformerTrace | Mapping[str, Tensor],
    pairs: Sequence[int | None],
) -> Edit:
    """Make one tensor's edit: its rows from the clean run, moved to the corrupt run's positions."""
    name = found[0][1].name
    value = (clean[name] if isinstance(clean, Mapping) else find_tensor(clean, name))[0]
    if found[0][1].is_source:
        value, present = _aligned(value, pairs, dim=-2)
    else:
        present = torch.ones(value.size(-2), dtype=torch.bool, device=value.device)
    reads_source = found[0][1].is_source or ".cross_attn." in name
    if name.endswith(".weights") and reads_source and tuple(pairs) != tuple(range(value.size(-1))):
        value = _renormalised(_aligned(value, pairs, dim=-1)[0])

    def edit(now: Tensor) -> Tensor:
        now = now.clone()
        for row, cell in found:
            own, new = now[row], value
            if cell.head is not None:
                own, new = own[cell.head], value[cell.head]
            places = present if cell.position is None else cell.position
            own[..., places, :] = new[..., places, :]
        return now

    return edit


def _aligned(value: Tensor, pairs: Sequence[int | None], dim: int) -> tuple[Tensor, Tensor]:
    """Move positions of the clean source to those of their partners; fill the others with 0."""
    present = torch.tensor([pair is not None for pair in pairs], device=value.device)
    places = torch.tensor([pair or 0 for pair in pairs], device=value.device)
    shape = [1] * value.dim()
    shape[dim] = len(pairs)
    return value.index_select(dim, places) * present.view(shape), present


def _renormalised(weights: Tensor) -> Tensor:
    """Rescale rows to sum to 1, because keys without a partner have lost their weight."""
    total = weights.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, weights / total.clamp_min(1e-9), weights)


def lacks_partner(cell: Cell, pairs: Sequence[int | None]) -> bool:
    """Return whether the clean source has no value for a cell."""
    return cell.is_source and cell.position is not None and pairs[cell.position] is None
