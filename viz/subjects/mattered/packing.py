"""Packs ablations and patched cells for the browser."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from model.attribution.patched_cells import Cell, What, stages
from model.attribution.patching import Patching
from model.attribution.sublayers import Part, sublayers
from model.text.encoding import Encoding
from texts import say, say_of
from viz.run.record import Run
from viz.subjects.mattered.damage import Loss, Losses
from viz.subjects.mattered.part_names import (
    kind_of,
    layer_of,
    part_name,
    stack_of,
    stage_name,
    sublayer_name,
)
from viz.subjects.mattered.wire import WireCut, WireCuts, WireGrid, WireGrids, WirePatching
from viz.subjects.mattered.words.cuts import damage_words, two_decimals

LEAST_DRAWN = 0.05
"""The share of the difference below which an attention is not drawn, if no cell restores more."""


class Pair(NamedTuple):
    """Two sentences, and the cells patched from the first into the second."""

    run: Run
    """The run of the first."""
    other: Encoding
    found: Patching

    @property
    def answer(self) -> str:
        """The first word that differs, in the first sentence."""
        return self._name(self.found.contest.answer)

    @property
    def other_answer(self) -> str:
        """The first word that differs, in the second sentence."""
        return self._name(self.found.contest.other)

    def columns(self, of_source: bool) -> list[str]:
        """Name the second sentence's positions, or the tokens of its rows; both if they differ."""
        which = self.found.contest
        if not of_source:
            written = [self._name(token) for token in which.prefix[1:]]
            return [*written, f"{self.answer}/{self.other_answer}"]
        own = self.run.source.tokens
        return [
            token if partner is None or own[partner] == token else f"{own[partner]}/{token}"
            for token, partner in zip(self.other.tokens, which.partners, strict=True)
        ]

    def _name(self, token: int) -> str:
        return self.run.info.tokenizers.target.token(token)


def pack_losses(losses: Losses, chosen: int, of: str) -> WireCuts:
    """Pack the effects of cutting each part of the run with this key, and which is in view."""
    cuts = [_pack(loss) for loss in losses.of]
    return {"of": of, "cuts": cuts, "chosen": chosen}


def pack_patching(pair: Pair) -> dict[str, Any]:
    """Pack all patched cells: the words as plain values, the shares as one float32 column."""
    groups, cells = lay_out(pair)
    values = [pair.found.shares[cell] for cell in cells]
    return packed_cells(groups, values, pair.answer, pair.other_answer, keeps=True)


def packed_cells(
    groups: list[WireGrids], values: Sequence[float], answer: str, other: str, *, keeps: bool
) -> dict[str, Any]:
    """Put grids and the shares of their cells together, as they are sent."""
    meta: WirePatching = {
        "groups": groups,
        "answer": answer,
        "other": other,
        "most": None,
        "keeps": keeps,
    }
    return {"meta": meta, "shares": pa.table({"share": np.array(values, dtype=np.float32)})}


def lay_out(pair: Pair) -> tuple[list[WireGrids], list[Cell]]:
    """Arrange the cells in grids, each of which begins at its offset in the list of all cells."""
    config = pair.run.info.config
    cells: list[Cell] = []
    groups: list[WireGrids] = [
        {"heading": say("mattered.states"), "note": "", "grids": _state_grids(pair, cells)}
    ]
    attentions: dict[str, list[Part]] = {}
    for part in sublayers(config):
        if kind := kind_of(part):
            attentions.setdefault(kind, []).append(part)
    for kind, parts in attentions.items():
        before = len(cells)
        grids = _head_grids(pair, parts, cells)
        heading, note = say_of("mattered.kind", kind), ""
        if np.nanmax(np.abs([pair.found.shares[cell] for cell in cells[before:]])) < LEAST_DRAWN:
            grids, note = [], say("mattered.nothing_there", attention=heading)
        groups.append({"heading": heading, "note": note, "grids": grids})
    return groups, cells


def _state_grids(pair: Pair, cells: list[Cell]) -> list[WireGrid]:
    grids: list[WireGrid] = []
    for of_source, title in (
        (True, say("mattered.encoder_states")),
        (False, say("mattered.decoder_states")),
    ):
        columns = pair.columns(of_source)
        of_side = [n for n in stages(pair.run.info.config) if _is_source(n) == of_source]
        offset = len(cells)
        for name in of_side:
            cells += [Cell("state", name, None, place) for place in range(len(columns))]
        rows = [stage_name(name) for name in of_side]
        grids.append({"title": title, "rows": rows, "columns": columns, "offset": offset})
    return grids


def _head_grids(pair: Pair, parts: Sequence[Part], cells: list[Cell]) -> list[WireGrid]:
    """Lay out the output and the weights of all heads and each head: two grids of equal shape."""
    columns = pair.columns(parts[0].sublayer.startswith("encoder"))
    places = (*range(len(columns)), None)
    heads: list[int | None] = [None, *range(pair.run.info.config.n_heads)]
    grids: list[WireGrid] = []
    for looks in (False, True):
        offset = len(cells)
        rows: list[str] = []
        for part in parts:
            for head in heads:
                rows.append(_row_name(part, head))
                what, name = _captured(part, head, looks=looks)
                cells += [Cell(what, name, head, place) for place in places]
        title = say("mattered.looks" if looks else "mattered.finds")
        last = say("mattered.all")
        grids.append({"title": title, "rows": rows, "columns": [*columns, last], "offset": offset})
    return grids


def _row_name(part: Part, head: int | None) -> str:
    layer = layer_of(part)
    if head is None:
        return say("mattered.row_all", layer=layer)
    return say("mattered.row_head", layer=layer, head=head)


def _captured(part: Part, head: int | None, *, looks: bool) -> tuple[What, str]:
    if looks:
        return "row", f"{part.sublayer}.weights"
    return (
        ("output", f"{part.sublayer}.output") if head is None else ("z", f"{part.sublayer}.heads")
    )


def _is_source(name: str) -> bool:
    return Cell("state", name, None, None).is_source


def _pack(loss: Loss) -> WireCut:
    """Pack a cut, also as the share of a token's probability that is lost."""
    part = loss.part
    return {
        "stack": stack_of(part),
        "layer": layer_of(part),
        "sublayer": sublayer_name(part),
        "kind": kind_of(part),
        "head": part.head,
        "name": part_name(part),
        "damage": math.copysign(-math.expm1(-abs(loss.damage)), loss.damage),
        "short": two_decimals(loss.damage),
        "said": damage_words(loss.damage),
        "changed": loss.changed,
        "stretches": [(stretch.fate, stretch.text) for stretch in loss.stretches],
    }
