"""Saves a run in a safetensors file, and loads it again."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import safetensors
import torch
from torch import Tensor

from loupe.records import AxisNames, Record, Tokens, attention_traces, named_in
from model.foreign.recording import ModuleTrace, PickedTrace, RecordedAttention
from model.traces import (
    AttentionTrace,
    DecoderLayerTrace,
    DecoderTrace,
    EmbeddingTrace,
    EncoderLayerTrace,
    EncoderTrace,
    FeedForwardTrace,
    TransformerTrace,
    names_in,
)

if TYPE_CHECKING:
    from loupe.run import Run

_ABOUT = "loupe"
_PLAIN = ("differs", "compared", "text", "given", "is_open", "lacks", "fingerprint", "task")
_KINDS: Mapping[str, type] = {
    "source_embedding": EmbeddingTrace,
    "target_embedding": EmbeddingTrace,
    "encoder": EncoderTrace,
    "decoder": DecoderTrace,
    "self_attn": AttentionTrace,
    "cross_attn": AttentionTrace,
    "feed_forward": FeedForwardTrace,
}
_CONSTANTS = ("scale", "softcap", "reads_itself")
"""Fields of an attention that are not tensors."""


def about_run(run: "Run") -> dict[str, str]:
    """Describe a run for the metadata of its file, as text."""
    constants = {
        path: {name: getattr(each, name) for name in _CONSTANTS if hasattr(each, name)}
        for path, each in attention_traces(run.record)
    }
    told = {name: getattr(run, name) for name in _PLAIN} | {
        "record": type(run.record).__name__,
        "origin": run.origin,
        "best_head": run.best_head,
        "languages": run.languages,
        "own_names": dict(run.own_names),
        "axes": {name: axes._asdict() for name, axes in run.axes.items()},
        "missing": dict(run.missing),
        "names": list(run),
        "outputs": list(run.outputs),
        "attentions": constants,
    }
    about = {"model": run.model, "headline": run.headline, _ABOUT: json.dumps(told)}
    return about | {side: json.dumps(some) for side, some in run.tokens._asdict().items()}


def load_run(path: str | os.PathLike[str], *, device: str | torch.device = "cpu") -> "Run":
    """Read a run that `run.save` wrote: its tensors, tokens and names, and its picture.

    The tensors are moved to the device. Raises OSError if the file does not exist, ValueError if it
    does not hold a run.
    """
    from loupe.options import device_of
    from loupe.run import Run

    where = str(device_of(device))
    try:
        with safetensors.safe_open(Path(path), framework="pt", device=where) as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path} is not a complete safetensors file: {error}") from error
    try:
        told: dict[str, Any] = json.loads(about.get(_ABOUT, "{}"))
        tokens = Tokens(*(tuple(map(str, json.loads(about[side]))) for side in Tokens._fields))
        outputs = {name: tensors.pop(name) for name in told.get("outputs", ())}
        order = [name for name in told.get("names", tensors) if name in tensors]
        named = {name: tensors[name] for name in order}
        languages = tuple(map(str, told.get("languages", ("Source", "Target"))))
        return Run(
            record=_record(told, named),
            tokens=tokens,
            model=about["model"],
            origin=told.get("origin", "module"),
            languages=(languages[0], languages[1]),
            own_names=dict(told.get("own_names", {})),
            axes={name: _axes(said) for name, said in told.get("axes", {}).items()},
            missing=dict(told.get("missing", {})),
            outputs=outputs,
            best_head=_pair(told.get("best_head")),
            **{"differs": None, **{name: told[name] for name in _PLAIN if name in told}},
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} does not hold a run written by run.save ({error})") from error


def _pair(said: Any) -> tuple[int, int] | None:  # noqa: ANN401 - what JSON holds
    if said is None:
        return None
    layer, head = map(int, said)
    return layer, head


def _axes(said: Mapping[str, Any]) -> AxisNames:
    rows, columns = (tuple(map(str, said[side])) for side in ("rows", "columns"))
    return AxisNames(**{**said, "rows": rows, "columns": columns})


def _record(told: Mapping[str, Any], tensors: dict[str, Tensor]) -> Record:
    """Build the saved record; return tensors by name if that is not possible."""
    constants = told.get("attentions", {})
    if told.get("record") == ModuleTrace.__name__:
        made = {
            path: _built(RecordedAttention, tensors, constants, f"{path}.") for path in constants
        }
        found: Record = ModuleTrace(made, None, told.get("differs"))
    elif told.get("record") == TransformerTrace.__name__:
        whole: TransformerTrace = _built(TransformerTrace, tensors, constants, "")
        if list(names_in(whole)) != list(tensors):  # layers may have other numbers than 0, 1, 2
            return PickedTrace(tensors)
        return whole
    else:
        return PickedTrace(tensors)
    return found if [name for name, _ in named_in(found)] == list(tensors) else PickedTrace(tensors)


def _built(
    kind: Any,  # noqa: ANN401 - a class of records
    tensors: Mapping[str, Tensor],
    constants: Mapping[str, Any],
    prefix: str,
) -> Any:  # noqa: ANN401
    """Build a part of a record from its tensors by name."""
    given: dict[str, Any] = {}
    for field in fields(kind):
        name = "scores" if field.name == "edited_scores" else field.name
        path = f"{prefix}{name}"
        if path in tensors:
            given[field.name] = tensors[path]
        elif name == "layers":
            of = EncoderLayerTrace if kind is EncoderTrace else DecoderLayerTrace
            numbers = range(len(set(_numbers(tensors, path))))
            given[name] = tuple(_built(of, tensors, constants, f"{path}.{i}.") for i in numbers)
        elif name in _KINDS and any(each.startswith(f"{path}.") for each in tensors):
            given[name] = _built(_KINDS[name], tensors, constants, f"{path}.")
        else:
            given[field.name] = constants.get(prefix[:-1], {}).get(name)
    return kind(**given)


def _numbers(tensors: Mapping[str, Tensor], path: str) -> Iterator[str]:
    begins = f"{path}."
    return (
        name.removeprefix(begins).partition(".")[0] for name in tensors if name.startswith(begins)
    )
