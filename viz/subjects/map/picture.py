"""The map of the model: the paper's figure 1 with the numbers of the run in its blocks."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, cast

import torch
from torch import Tensor

from model.traces import find_tensor
from texts import Language, language, speaking
from viz.pictures.component import picture
from viz.run.record import Run
from viz.run.tensor_parcel import Numbers
from viz.run.view import View, per_view
from viz.subjects.map.describe import describe
from viz.subjects.map.wire import WireBlock, WireMap, WireSample, WireShownMap

if TYPE_CHECKING:  # only types
    from viz.run.payload import Payload

MOST_ROWS, MOST_COLUMNS = 16, 64
"""The largest number of a tensor's cells in the map, the same as in map_run.js."""

_map = picture("map", "subjects/map/browser/map.js")


def show_map(
    view: View,
    *,
    size: Literal["small", "large"],
    tensor: str | None = None,
    lit: Sequence[str] = (),
    element_key: str,
) -> None:
    """Show the map of a run; on the map's own page `tensor` is highlighted.

    With `lit`, these blocks are highlighted, whatever is in view. A click on an attention block
    opens its page; on any other block, it shows the tensor on the map's page.
    """
    data = _payload(view, language())
    packed: WireMap = data["meta"]
    meta: WireShownMap = {**packed, "size": size, "tensor": tensor, "lit": list(lit)}
    _map(key=element_key, data={**data, "meta": meta})


def map_payload(run: Run, parcel: "Payload") -> dict[str, Any]:
    """Pack the map of a run's model, and samples of the tensors that its parcel does not send."""
    described = describe(run)
    sent = parcel.data["meta"]["tensors"]
    drawn = dict.fromkeys(block.tensor for block in described.blocks if block.pictured)
    numbers = Numbers()
    samples = {
        name: _sample(numbers, name, find_tensor(run.trace, name))
        for name in drawn
        if not sent or name not in sent["arrays"]
    }
    sentences = list(dict.fromkeys(block.sentence for block in described.blocks))
    meta: WireMap = {
        "layers": described.layers,
        "d_model": described.d_model,
        "heads": described.heads,
        "pre_norm": described.pre_norm,
        "ties": described.ties,
        "blocks": [_filled(asdict(block), sentences) for block in described.blocks],
        "sentences": sentences,
        "run": parcel.key,
        "samples": samples,
    }
    if described.parallel:
        meta["parallel"] = True
    if not run.anatomy.writes:
        meta["by_row"] = True
    data: dict[str, Any] = {"meta": meta}
    return {**data, "numbers": numbers.table()} if samples else data


def _in_language(view: View, spoken: Language) -> dict[str, Any]:
    with speaking(spoken):
        return map_payload(view.run, view.parcel)


_payload = per_view(_in_language)
"""The data that every page sends after each change, packed once for each language."""


def _sample(numbers: Numbers, name: str, tensor: Tensor) -> WireSample:
    """Add evenly spaced cells of the only text of a batch; positions have no batch axis."""
    values = tensor.reshape(tensor.shape[-2:]).float()
    rows, columns = map(_spaced, values.shape, (MOST_ROWS, MOST_COLUMNS))
    numbers.put(name, values[rows][:, columns])
    finite = values.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
    return {**numbers.arrays[name], "largest": float(finite.abs().max())}


def _spaced(size: int, most: int) -> Tensor:
    kept = min(size, most)
    return torch.arange(kept) * size // kept


def _filled(fields: dict[str, Any], sentences: list[str]) -> WireBlock:
    """Reduce a block to what must be sent, as a deep model has hundreds of blocks.

    Empty fields are left out, as are names that begin with the block's own; its sentence becomes a
    number.
    """
    held = tuple(name for name in fields["holds"] if not name.startswith(f"{fields['id']}."))
    sentence = sentences.index(fields["sentence"])
    fields = {**fields, "holds": held, "sentence": sentence}
    kept = {name: v for name, v in fields.items() if v not in (None, "", ()) and v is not False}
    return cast("WireBlock", kept)
