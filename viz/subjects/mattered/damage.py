"""What one sentence loses without each part of the model, and what is written then."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from model.attribution.ablation import rewrite, sweep
from model.attribution.cuts import Cut, Edge, How, Means, Part, edges, parts, sublayers
from model.config import TransformerConfig
from model.edits import NO_EDITS, Edits
from model.memory.chunks import Progress, trace_bytes
from model.transformer import Transformer
from viz.run.record import AttentionKind, Run
from viz.run.text_diff import Stretch, rewording, swaps
from viz.subjects.mattered.part_names import kind_of

LEAST_EDGE = 0.01
"""Nats a target token that an edge costs to be told of."""
_ROOM = 8
"""Tokens more than without a cut, after which a text that does not end is left."""
AT_ONCE_BYTES = 2_500_000_000
"""Of the traces of a sweep that takes about a second: a larger one is for a process of its own."""


@dataclass(frozen=True)
class Loss:
    """What is lost without one part."""

    part: Part
    damage: float
    """Nats of loss a target token more than with it; less than 0 where it stood in the way."""
    text: str
    """What is written then."""
    stretches: tuple[Stretch, ...]
    swaps: tuple[tuple[str, str], ...]
    """The words that took the place of others."""

    @property
    def changed(self) -> bool:
        """Whether another text is written."""
        return bool(self.swaps)


@dataclass(frozen=True)
class Losses:
    """What is lost without each part, in the order of the model."""

    how: How
    loss: float
    """With all parts, mean nats of a target token."""
    text: str
    """What the model writes with all parts."""
    of: tuple[Loss, ...]

    def by_damage(self) -> tuple[Loss, ...]:
        """List them again, the largest damage first."""
        return tuple(sorted(self.of, key=lambda loss: -loss.damage))


@dataclass(frozen=True, eq=False)
class EdgeMap:
    """What is lost without each edge of one attention."""

    sublayer: str
    head: int | None
    damage: Float[np.ndarray, "row key"]
    """NaN where there is none to cut: what a mask hides, and a row's only key."""


def measure_losses(run: Run, model: Transformer, how: How, means: Means | None = None) -> Losses:
    """Cut each part in turn: once with the run's target forced, once with the model writing.

    What a model of one text writes then is the likeliest token of each row, each after the text as
    it is: of a decoder after its prompt, of an encoder at every place.
    """
    cuts: list[Cut] = [(), *((part,) for part in parts(model.config, how))]
    found = sweep(model, run.source.ids, run.target_ids, cuts, how, means, base=run.edits)
    loss, *losses = found.losses.tolist()
    if run.anatomy.translates:
        length = len(run.steps) + _ROOM
        ends = {"bos_id": run.target_ids[0], "eos_id": run.info.tokenizers.target.specials.eos}
        written = rewrite(
            model, run.source.ids, cuts, how, means, max_length=length, base=run.edits, **ends
        )
        own, *others = [_text(run, ids) for ids in written]
    else:
        names = run.info.tokenizers.target
        own, *others = (names.decode(ids[run.n_prompt :]) for ids in found.best.tolist())
    return Losses(
        how=how,
        loss=loss,
        text=own,
        of=tuple(
            Loss(cut[0], one - loss, text, rewording(own, text), swaps(own, text))
            for cut, one, text in zip(cuts[1:], losses, others, strict=True)
            if isinstance(cut[0], Part)
        ),
    )


def attentions(config: TransformerConfig) -> tuple[Part, ...]:
    """List the attentions of a model, all heads of each together."""
    return tuple(part for part in sublayers(config) if part.is_attention)


def edges_of(run: Run, cut: Sequence[Part]) -> tuple[Edge, ...]:
    """List the edges of attentions, in all heads at once, or of single heads, in their order."""
    sizes = _sizes(run)
    return tuple(
        edge
        for part in cut
        for edge in edges(run.info.config, part.sublayer, part.head, *sizes[part.sublayer])
    )


def sweep_bytes(config: TransformerConfig, run: Run, cuts: int) -> int:
    """Estimate how large a sweep is."""
    return cuts * trace_bytes(config, len(run.source.ids), len(run.steps))


def map_edges(run: Run, cut: Sequence[Edge], damages: Sequence[float]) -> tuple[EdgeMap, ...]:
    """Arrange what edges cost as a matrix for each attention, or head, in the order given."""
    sizes = _sizes(run)
    maps: dict[tuple[str, int | None], np.ndarray] = {}
    for edge, damage in zip(cut, damages, strict=True):
        place = edge.sublayer, edge.head
        if place not in maps:
            maps[place] = np.full(sizes[edge.sublayer], np.nan, dtype=np.float32)
        maps[place][edge.row, edge.key] = damage
    return tuple(EdgeMap(*place, values) for place, values in maps.items())


def strongest_edges(maps: Sequence[EdgeMap], count: int) -> list[tuple[Edge, float]]:
    """List the edges of each kind of attention that cost most, with their damage in nats."""
    of_kind: dict[AttentionKind | None, list[tuple[Edge, float]]] = defaultdict(list)
    for one in maps:
        of_kind[kind_of(Part(one.sublayer))] += [
            (Edge(one.sublayer, one.head, row, key), float(damage))
            for (row, key), damage in np.ndenumerate(one.damage)
            if damage >= LEAST_EDGE
        ]
    found = [sorted(each, key=lambda e: -e[1])[:count] for each in of_kind.values()]
    return [edge for each in found for edge in each]


def first_change(run: Run, model: Transformer, edge: Edge) -> tuple[str, str] | None:
    """Return the first token that is not the best of its row any more, and what is instead."""
    cuts: list[Cut] = [(), (edge,)]
    best = sweep(model, run.source.ids, run.target_ids, cuts, base=run.edits).best.tolist()
    names = run.info.tokenizers.target
    for own, other in zip(*best, strict=True):
        if own != other:
            return names.token(own), names.token(other)
    return None


def edge_losses(
    model: Transformer,
    source: Sequence[int],
    target: Sequence[int],
    cut: Sequence[Edge],
    progress: Progress | None = None,
    base: Edits = NO_EDITS,
) -> list[float]:
    """Return the damage of each edge, in nats a target token."""
    cuts: list[Cut] = [(), *((edge,) for edge in cut)]
    losses = sweep(model, source, target, cuts, progress=progress, base=base).losses
    return (losses[1:] - losses[0]).tolist()


def _text(run: Run, ids: Sequence[int]) -> str:
    written = run.info.tokenizers.target.decode(ids)
    end = run.info.tokenizers.target.specials.eos
    return written if ids and ids[-1] == end else f"{written} …"


def _sizes(run: Run) -> dict[str, tuple[int, int]]:
    """Count the rows and the keys of each attention."""
    source, target = len(run.source.ids), len(run.steps)
    return {
        part.sublayer: (
            source if kind == "encoder self-attention" else target,
            target if kind == "decoder self-attention" else source,
        )
        for part in attentions(run.info.config)
        if (kind := kind_of(part))
    }
