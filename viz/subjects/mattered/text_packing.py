"""Packs the patching of two texts, or of many pairs, for the browser."""

from collections.abc import Sequence
from typing import Any

from model.attribution.patched_cells import Cell
from model.attribution.patching import Contest, Patching
from model.attribution.sublayers import sublayers
from model.attribution.text_patching import text_cells, text_stages
from model.checkpoints.metadata import CheckpointInfo
from texts import say, say_of
from viz.subjects.mattered.packing import packed_cells
from viz.subjects.mattered.part_names import kind_of, layer_of, stage_name
from viz.subjects.mattered.wire import WireGrid, WireGrids

_VARIES = "…"


def pack_texts(
    info: CheckpointInfo, contests: Sequence[Contest], found: Patching
) -> dict[str, Any]:
    """Pack the states by token, and the output and the weights of all heads by layer."""
    config, size = info.config, len(contests[0].clean)
    names = text_stages(config)
    states: WireGrid = {
        "title": say("mattered.text_states"),
        "rows": [stage_name(name) for name in names],
        "columns": _columns(info, contests),
        "offset": 0,
    }
    parts = [part for part in sublayers(config) if part.is_attention]
    heads = [*map(str, range(config.n_heads)), say("mattered.all")]
    rows = [say("mattered.row_layer", layer=layer_of(part)) for part in parts]
    grids: list[WireGrid] = [
        {"title": title, "rows": rows, "columns": heads, "offset": 0}
        for title in (say("mattered.finds"), say("mattered.looks"))
    ]
    for place, grid in enumerate(grids):
        grid["offset"] = len(names) * size + place * len(rows) * len(heads)
    groups: list[WireGrids] = [
        {"heading": say("mattered.states"), "note": "", "grids": [states]},
        {"heading": say_of("mattered.kind", str(kind_of(parts[0]))), "note": "", "grids": grids},
    ]
    cells: Sequence[Cell] = text_cells(config, size)
    answer, other = answers(info, contests[0])
    return packed_cells(groups, [found.shares[cell] for cell in cells], answer, other, keeps=False)


def answers(info: CheckpointInfo, which: Contest) -> tuple[str, str]:
    """Name the two tokens that are compared."""
    words = info.tokenizers.target if info.config.has_decoder else info.tokenizers.source
    return words.token(which.answer), words.token(which.other)


def _columns(info: CheckpointInfo, contests: Sequence[Contest]) -> list[str]:
    """Name each position by its token, or by both of a pair; in many pairs only by a common one."""
    words = info.tokenizers.target if info.config.has_decoder else info.tokenizers.source
    texts = [words.tokens(ids) for which in contests for ids in (which.clean, which.corrupt)]
    there = [[*dict.fromkeys(tokens)] for tokens in zip(*texts, strict=True)]
    most = 2 if len(contests) == 1 else 1
    return ["/".join(tokens) if len(tokens) <= most else _VARIES for tokens in there]
