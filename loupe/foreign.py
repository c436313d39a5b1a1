"""Runs of models that are not Loupe's: of transformers, or of any other torch module."""

import inspect
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from loupe.batches import cut, padded
from loupe.how import How
from loupe.kept import keep, kept, key_of
from loupe.records import Record, Tokens, attentions_in
from loupe.run import Run
from loupe.texts import ReadText, name_places, name_tokens, read_text
from model.config import Side
from model.foreign.huggingface.facts import anatomy_of_record
from model.foreign.recording import Recorded, attached
from model.foreign.recording.plan import Known, StalePlanError
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


@dataclass(frozen=True, eq=False)
class Asked:
    """What a model of transformers is called with for one text."""

    inputs: Mapping[str, Any]
    names: Tokens
    is_given: bool
    """Whether the target was given, rather than written by the model."""


def asked_of(
    model: Any,  # noqa: ANN401 - a PreTrainedModel
    tokenizer: object,
    read: ReadText | None,
    target: str | None,
    inputs: Mapping[str, Any],
) -> Asked:
    """Return what a model is called with for a text; a translator that has no target writes it.

    Raises ValueError where the model has no use for a target.
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
    return Asked(given, Tokens(*names, *[()] * (2 - len(names))), is_given=target is not None)


def trace_transformers(model: nn.Module, asked: Asked, how: How) -> Run:
    """Record a model of transformers. Raises ValueError where none of its attentions is seen."""
    run = _recorded(model, asked.names, how, (), asked.inputs)
    return replace(run, model=model_name(model), origin="transformers", given=asked.is_given)


def trace_together(
    model: Any,  # noqa: ANN401
    asked: Sequence[Asked],
    how: How,
) -> list[Run]:
    """Record a model of transformers on several texts in one pass.

    Raises StalePlanError where that pass is not as the longest text alone shows it to be.
    """
    longest = max(asked, key=_length)
    key = key_of(model, (), longest.inputs)
    if kept(model, key) is None:
        trace_transformers(model, longest, how)
    # The longest first: what the model gives once for all texts, as positions, is of the first.
    order = sorted(asked, key=_length, reverse=True)
    fill = next(iter(x for x in (getattr(model.config, "pad_token_id", None), 0) if x is not None))
    inputs = {}
    for name, first in longest.inputs.items():
        rows = [each.inputs[name] for each in order]
        inputs[name] = padded(rows, fill if name.endswith("input_ids") else 0).to(first)
    masks = [torch.ones_like(each.inputs["input_ids"]) for each in order]
    inputs["attention_mask"] = inputs.get("attention_mask", padded(masks, 0))
    found, known = _pass(model, how, (), inputs, kept(model, key), must_know=True)
    runs = {}
    for row, each in enumerate(order):
        lengths = _lengths(each)
        last = "target" if known.plan and known.plan.stacks[-1].side == "decoder" else "source"
        record = cut(found.trace, row, lengths, last)
        run = _run(model, record, each.names, how, found, known)
        runs[each] = replace(
            run, model=model_name(model), origin="transformers", given=each.is_given
        )
    return [runs[each] for each in asked]


def _length(asked: Asked) -> int:
    return sum(_lengths(asked).values())


def _lengths(asked: Asked) -> dict[Side, int]:
    """Return how many tokens are read on each side: those of one stack are taken for either."""
    source = asked.inputs["input_ids"].size(1)
    target = asked.inputs.get("decoder_input_ids", asked.inputs["input_ids"]).size(1)
    return {"source": source, "target": target}


def trace_any(
    module: nn.Module,
    names: Tokens,
    texts: Sequence[Tensor],
    how: How,
    inputs: Inputs,
) -> Run:
    """Record any module on the ids of its texts, or on what it is called with.

    Raises ValueError where no attention is seen.
    """
    arguments, by_name = _arguments(inputs)
    run = _recorded(module, names, how, (*texts, *arguments), by_name)
    return replace(run, given=len(texts) > 1)


def _recorded(
    module: nn.Module,
    names: Tokens,
    how: How,
    args: tuple,
    inputs: Mapping[str, Any],
) -> Run:
    """Record a module: by our names where its pass proves them, else its attentions by its own."""
    key = key_of(module, args, inputs)
    try:
        found, known = _pass(module, how, args, inputs, kept(module, key))
    except StalePlanError:
        found, known = _pass(module, how, args, inputs, None)
    if known.plan and isinstance(found.trace, TransformerTrace):
        known.anatomy = known.anatomy or anatomy_of_record(module, known.plan, found.trace)
    keep(module, key, known)
    return _run(module, found.trace, names, how, found, known, _image(args, inputs))


def _run(
    module: nn.Module,
    trace: Record,
    names: Tokens,
    how: How,
    found: Recorded,
    known: Known,
    image: Tensor | None = None,
) -> Run:
    if known.plan and [each.side for each in known.plan.stacks] == ["decoder"]:
        names = names if names.target else Tokens((), names.source)
    return Run(
        record=trace,
        tokens=_for_all_rows(names, trace, image),
        model=type(module).__name__,
        origin="module",
        differs=None if how.edits.by_name or how.check is False else known.difference,
        compared=found.difference is not None,
        own_names=known.plan.own_names if known.plan else {},
        anatomy=known.anatomy,
        outputs=found.outputs,
        lacks=_lacks(known, found),
        graph_places=found.graph_places,
    )


def _lacks(known: Known, found: Recorded) -> str:
    """Say what of a model was not proven."""
    said = [known.lacks] if known.lacks and known.plan is None else []
    if found.unsplit:
        said.append(
            f"nothing proves which places of {', '.join(found.unsplit)} are texts and which are "
            "heads: all are shown as heads of one text"
        )
    return "; ".join(said)


def _pass(
    module: nn.Module,
    how: How,
    args: tuple,
    inputs: Mapping[str, Any],
    known: Known | None,
    *,
    must_know: bool = False,
) -> tuple[Recorded, Known]:
    """Record a pass, and say what is known of the model after it.

    Raises StalePlanError where the pass is not as known, or nothing is and something must be.
    """
    if must_know and (known is None or known.plan is None):
        raise StalePlanError("no plan is known for this pass")
    with attached(module, *args, known=known, outputs=how.record, **inputs) as ready:
        known = ready.known
        check = known.difference is None if how.check is None else how.check
        found = ready.run(*args, edits=how.edits, check=check, keep=how.keep, **inputs)
    if found.difference is not None:
        known.difference = found.difference
    return found, known


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
