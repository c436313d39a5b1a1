"""Packs a run for the browser, where every picture of a page draws from it."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from jaxtyping import UInt16

from sample_data.tasks import task_languages
from texts import say
from viz.run.alignment import Links, gold_links
from viz.run.axes import AttentionKind, attention_name, axis_texts
from viz.run.codes import Codes
from viz.run.record import Run
from viz.run.tensor_parcel import pack_tensors
from viz.run.titles import axis_titles, one_text_titles, said_sides
from viz.run.told import pack_told
from viz.run.wire import WireStack


class Payload(NamedTuple):
    """A run, packed for the browser."""

    key: str
    """Name of the run in the browser."""
    sides: tuple[str, str]
    """The names of the task's two sides, as the task calls them."""
    gold: Links | None
    """The gold alignment, if known."""
    data: dict[str, Any]
    """The message to the browser, without its words: `said` has all of it."""
    translates: bool
    by_readers: bool = False
    """Whether a decoder row is named after the token that it reads, not the one that it writes."""

    @property
    def languages(self) -> tuple[str, str]:
        """The names of the two sides, in the language of the reader."""
        return said_sides(self.sides)

    @property
    def said(self) -> dict[str, Any]:
        """The whole message, with its words in the language of the reader."""
        meta: dict[str, Any] = self.data["meta"]
        words = {
            "languages": self.languages,
            "axes": {kind: self._axes(kind) for kind in meta["kinds"]},
        }
        return {**self.data, "meta": {**meta, **words}}

    def _axes(self, kind: AttentionKind) -> tuple[str, str]:
        if not self.translates:
            return one_text_titles()
        rows, columns = axis_titles(kind, self.languages)
        if self.by_readers and kind != "encoder self-attention":
            rows = say("axis.query_reads", language=self.languages[1])
        return rows, columns


def pack_run(run: Run, key: str) -> Payload:
    """Pack a run: names, tokens and measures as plain values, the weights as bytes."""
    gold = gold_links(run)
    found = _encode_run(run)
    kinds: dict[AttentionKind, WireStack] = {}
    parts: list[UInt16[np.ndarray, " size"]] = []
    for kind in run.anatomy.names:
        kinds[kind] = _describe_stack(run, kind, found, sum(map(len, parts)))
        parts.append(np.concatenate([codes.ravel() for codes in found.stacks[kind]]))
    meta: dict[str, Any] = {
        "run": key,
        "kinds": kinds,
        "tokens": run.texts,
        "gold": sorted(gold) if gold else None,
        "tensors": None,
        "told": pack_told(run),
    }
    if shown := run.shown_first:
        meta["prompt"] = shown
    data: dict[str, Any] = {"meta": meta, "codes": pa.table({"code": np.concatenate(parts)})}
    if packed := pack_tensors(run):
        meta["tensors"] = packed.said
        data["numbers"] = packed.numbers
    sides = task_languages(run.info.task)
    return Payload(key, sides, gold, data, run.anatomy.translates)


def _encode_run(run: Run) -> Codes:
    """Encode the weights of a run, unless this was done while the run was computed."""
    if run.codes:
        return run.codes
    found = Codes(run.anatomy.sites, source=len(run.source.ids), target=len(run.target_ids) - 1)
    found.take_all(run.trace)
    return found


def _describe_stack(run: Run, kind: AttentionKind, codes: Codes, offset: int) -> WireStack:
    layers, (rows, columns) = codes.stacks[kind], codes.sizes[kind]
    queries, keys = axis_texts(kind, run.anatomy.site(kind).rows)
    heads, *drawn = layers[0].shape
    return {
        "name": attention_name(kind, 0).replace(".0.", ".{layer}."),
        "layers": len(layers),
        "heads": heads,
        "rows": rows,
        "columns": columns,
        "queries": queries,
        "keys": keys,
        "drawn": drawn,
        "offset": offset,
    }
