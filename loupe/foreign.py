"""Runs of models that are not Loupe's: of transformers, or of any other torch module."""

import inspect
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from loupe.records import Record, Tokens, attentions_in
from loupe.run import Run
from loupe.texts import ReadText, name_places, name_tokens, read_text
from model.config import Side
from model.edits import Edits
from model.foreign.huggingface.facts import anatomy_of_record
from model.foreign.recording import attached
from model.foreign.recording.recorder import tensors_in
from model.foreign.recording.shared_settings import evaluating
from model.traces import TransformerTrace

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_WRITTEN = 64
"""Tokens that a translator writes at most."""
Inputs = Tensor | Sequence[Tensor] | Mapping[str, Any]
"""What a module is called with: one argument, several, or several by name."""


def is_of_transformers(model: nn.Module) -> bool:
    """Return whether a module is a model of transformers, without importing that."""
    kinds = type(model).__mro__
    return hasattr(model, "config") and any(k.__module__.startswith("transformers.") for k in kinds)


def trace_transformers(
    model: Any,  # noqa: ANN401 - a PreTrainedModel
    tokenizer: object,
    read: ReadText | None,
    target: str | None,
    edits: Edits,
    inputs: Mapping[str, Any],
    outputs: Sequence[str] | None = None,
) -> Run:
    """Record a model of transformers on a text, or on what it is called with.

    Raises ValueError where none of its attentions is seen.
    """
    given = dict(inputs)
    if read:
        given |= {"input_ids": read.ids, **_wanted(model, read.more)}
    written = None
    if "decoder_input_ids" in inspect.signature(model.forward).parameters:
        written = _written(model, tokenizer, target, given)
        given["decoder_input_ids"] = written[:, :-1]
    elif target is not None:
        raise ValueError("a target is for a model with an encoder and a decoder")
    ids = [given.get("input_ids"), written] if written is not None else [given.get("input_ids")]
    names = [_names(tokenizer, each) for each in ids]
    tokens = Tokens(*names, *[()] * (2 - len(names)))
    run = _recorded(model, tokens, edits, outputs, (), given)
    return replace(run, model=model_name(model), origin="transformers", given=target is not None)


def trace_any(
    module: nn.Module,
    names: Tokens,
    texts: Sequence[Tensor],
    edits: Edits,
    inputs: Inputs,
    outputs: Sequence[str] | None = None,
) -> Run:
    """Record any module on the ids of its texts, or on what it is called with.

    Raises ValueError where no attention is seen.
    """
    arguments, by_name = _arguments(inputs)
    run = _recorded(module, names, edits, outputs, (*texts, *arguments), by_name)
    return replace(run, given=len(texts) > 1)


def _recorded(
    module: nn.Module,
    names: Tokens,
    edits: Edits,
    outputs: Sequence[str] | None,
    args: tuple,
    inputs: Mapping[str, Any],
) -> Run:
    """Record a module: by our names where its pass proves them, else its attentions by its own."""
    with attached(module, *args, outputs=outputs, **inputs) as ready:
        found = ready.run(*args, edits=edits, **inputs)
        trace, anatomy = found.trace, None
        if ready.plan and isinstance(trace, TransformerTrace):
            anatomy = anatomy_of_record(module, ready.plan, trace)
            if not trace.encoder and not names.target:
                names = Tokens((), names.source)
        own_names = ready.plan.own_names if ready.plan else {}
    return Run(
        record=trace,
        tokens=_for_all_rows(names, trace, _image(args, inputs)),
        model=type(module).__name__,
        origin="module",
        differs=found.difference,
        own_names=own_names,
        anatomy=anatomy,
        outputs=found.outputs,
    )


@contextmanager
def leaving_random_numbers(model: nn.Module) -> "Iterator[None]":
    """Leave torch's random numbers in the state they were in, on all devices of a model."""
    devices = {each.device for each in model.parameters()}
    cuda = [device for device in devices if device.type == "cuda"]
    with torch.random.fork_rng(devices=cuda):
        yield


def on_device(model: nn.Module, read: ReadText) -> ReadText:
    """Bring a text to where a model is."""
    first = next(iter(model.parameters()), None)
    if first is None:
        return read
    more = {name: tensor.to(first.device) for name, tensor in read.more.items()}
    return ReadText(read.ids.to(first.device), read.tokens, more)


def _wanted(model: nn.Module, more: Mapping[str, Tensor]) -> dict[str, Tensor]:
    known = inspect.signature(model.forward).parameters
    return {name: tensor for name, tensor in more.items() if name in known}


def _written(
    model: Any,  # noqa: ANN401
    tokenizer: object,
    target: str | None,
    given: dict[str, Any],
) -> Tensor:
    """Return the ids of a target from its start token on, or let the model write it.

    One that cannot write, as it answers or classifies, reads the text itself there.
    """
    if (ids := given.pop("decoder_input_ids", None)) is not None:
        return torch.cat([ids, ids[:, -1:]], dim=1)  # the last token is not read
    if target is None and hasattr(model, "generate"):
        with evaluating(model.modules()):
            return model.generate(
                **given, do_sample=False, num_beams=1, max_new_tokens=MOST_WRITTEN
            )
    if target is not None:
        ids = on_device(model, read_text(tokenizer, target, as_target=True)).ids
    elif (ids := given.get("input_ids")) is None:
        raise ValueError(f"{type(model).__name__} writes nothing by itself: give a target=")
    start = model.config.decoder_start_token_id
    if start is None:
        raise ValueError("the model's config has no decoder_start_token_id to begin a target with")
    return torch.cat([torch.full_like(ids[:, :1], start), ids], dim=1)


def _names(tokenizer: object, ids: Tensor | None) -> tuple[str, ...]:
    if isinstance(tokenizer, list | tuple):
        return tuple(map(str, tokenizer))
    return () if ids is None else name_tokens(tokenizer, ids[0].tolist())


def model_name(model: Any) -> str:  # noqa: ANN401
    """Describe what a model of transformers is called: as its folder, or its class."""
    known = str(getattr(model.config, "_name_or_path", ""))
    return PurePath(known).name or type(model).__name__


def _arguments(inputs: Inputs) -> tuple[tuple[Tensor, ...], Mapping[str, Any]]:
    if isinstance(inputs, Tensor):
        return (inputs,), {}
    if isinstance(inputs, Mapping):
        return (), inputs
    return tuple(inputs), {}


def _image(*given: object) -> Tensor | None:
    """Find the image that a model is called with: batch, channel, row, column."""
    return next((x for x in tensors_in(given) if x.dim() == 4 and x.is_floating_point()), None)


def _for_all_rows(names: Tokens, found: Record, image: Tensor | None) -> Tokens:
    """Name every row and column that is drawn: those without a token by their places."""
    longest = {"source": len(names.source), "target": len(names.target)}
    for attentions in attentions_in(found):
        sides = (attentions.queries[0], attentions.keys[0])
        for side, size in zip(sides, attentions.layers[0].weights.shape[-2:], strict=True):
            longest[side] = max(longest[side], size)

    def named(side: Side) -> tuple[str, ...]:
        given = getattr(names, side) or names.source
        places = name_places(longest[side], image if side == "source" else None)
        return (*given, *places[len(given) :])[: longest[side]]

    return Tokens(named("source"), named("target"))
