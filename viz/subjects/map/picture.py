"""The map of the model: the paper's figure 1, with the numbers of the run in view in its blocks."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal, cast

import numpy as np
import pyarrow as pa

from texts import Language, language, speaking
from viz.pictures.component import picture
from viz.run.record import Run
from viz.run.result_cache import cached
from viz.subjects.map.describe import describe
from viz.subjects.map.thumbnails import candidates, pictures
from viz.subjects.map.wire import WireBlock, WireMap, WirePicture, WireShownMap

_map = picture("map", "subjects/map/browser/map.js")


def show_map(
    run: Run,
    key: str,
    *,
    size: Literal["small", "large"],
    tensor: str | None = None,
    lit: Sequence[str] = (),
    element_key: str,
) -> None:
    """Show the map of a run whose key is `key`; on the map's own page `tensor` is lit.

    With `lit`, these blocks are lit, whatever is in view.

    A click on a block opens it: attention on its page, any other tensor on the map's.
    """
    data = _payload(run, key, language())
    packed: WireMap = data["meta"]
    meta: WireShownMap = {**packed, "size": size, "tensor": tensor, "lit": list(lit)}
    _map(key=element_key, data={**data, "meta": meta})


def map_payload(run: Run, key: str) -> dict[str, Any]:
    """Pack the map of a run: its blocks as plain values, their pictures as bytes."""
    described = describe(run)
    drawn = pictures(run, (b.tensor for b in described.blocks if b.pictured))
    packed: dict[str, WirePicture] = {}
    offset = 0
    for name, one in drawn.items():
        rows, columns = one.codes.shape
        largest = float(f"{one.largest:.4g}")
        packed[name] = {"rows": rows, "columns": columns, "offset": offset, "largest": largest}
        offset += one.codes.size
    sentences = list(dict.fromkeys(block.sentence for block in described.blocks))
    inputs = {"encoder": run.texts["source"], "decoder": run.texts["target"][:-1]}
    meta: WireMap = {
        "layers": described.layers,
        "widths": described.widths,
        "heads": described.heads,
        "pre_norm": described.pre_norm,
        "ties": described.ties,
        "blocks": [_filled(asdict(block), sentences) for block in described.blocks],
        "sentences": sentences,
        "run": key,
        "pictures": packed,
        "candidates": candidates(run),
        "tokens": {stack: inputs[stack] for stack in described.layers},
    }
    if described.parallel:
        meta["parallel"] = True
    if not run.anatomy.writes:
        meta["by_row"] = True
    codes = np.concatenate([one.codes.ravel() for one in drawn.values()])
    return {"meta": meta, "codes": pa.table({"code": codes})}


def _in_language(run: Run, key: str, spoken: Language) -> dict[str, Any]:
    with speaking(spoken):
        return map_payload(run, key)


def _name(run: Run, key: str, spoken: Language) -> tuple[str, str]:  # noqa: ARG001 - the key names the run
    return key, spoken


_payload = cached(_in_language, key=_name)
"""What every page sends after each change, packed once for each language."""


def _filled(fields: dict[str, Any], sentences: list[str]) -> WireBlock:
    """Keep what has to be sent of a block: there are hundreds in a deep model.

    Not what is empty, nor the names that the block's own begins; of the sentence its number.
    """
    held = tuple(name for name in fields["holds"] if not name.startswith(f"{fields['id']}."))
    fields = {**fields, "holds": held, "sentence": sentences.index(fields["sentence"])}
    kept = {name: v for name, v in fields.items() if v not in (None, "", ()) and v is not False}
    return cast("WireBlock", kept)
