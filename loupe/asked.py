"""Arguments for a model of transformers, and the names of the tokens in them."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from loupe.records import Tokens
from loupe.texts import ReadText, decoded, name_tokens, read_text
from model.foreign.recording.passes import copied
from model.foreign.recording.shared_settings import evaluating

MOST_WRITTEN = 64
"""The largest number of tokens that a translator writes."""


@dataclass(frozen=True, eq=False)
class Asked:
    """Arguments for a model of transformers, for one text."""

    inputs: Mapping[str, Any]
    names: Tokens
    is_given: bool
    """Whether the target was given, rather than written by the model."""
    is_open: bool = False
    """Whether the token that the last row of the target writes is unknown."""
    text: str = ""
    """The written text."""


def asked_of(
    model: Any,  # noqa: ANN401 - a PreTrainedModel
    tokenizer: object,
    read: ReadText | None,
    target: str | Tensor | None,
    inputs: Mapping[str, Any],
) -> Asked:
    """Return the arguments for a text; a translation model without a target writes one.

    Raises ValueError if the model takes no target.
    """
    given = dict(inputs)
    if read:
        given |= {"input_ids": read.ids, **_wanted(model, read.more)}
        given = with_mask(model, given)
    if "decoder_input_ids" not in inspect.signature(model.forward).parameters:
        if target is not None:
            raise ValueError("only a model with an encoder and a decoder takes a target")
        names = Tokens(_names(tokenizer, given.get("input_ids")), ())
        return Asked(given, names, is_given=False)
    written, is_open = target_ids(model, tokenizer, target, given)
    if written is not None:
        given["decoder_input_ids"] = written if is_open else written[:, :-1]
    ids = given.get("input_ids")
    names = Tokens(_names(tokenizer, ids), _names(tokenizer, written))
    is_given = target is not None or is_open or "labels" in given
    text = "" if written is None else decoded(tokenizer, written[0, 1:].tolist())
    return Asked(given, names, is_given, is_open, text)


def on_device(model: nn.Module, read: ReadText) -> ReadText:
    """Move a text to the device of a model."""
    first = next(iter(model.parameters()), None)
    if first is None:
        return read
    more = {name: tensor.to(first.device) for name, tensor in read.more.items()}
    return ReadText(read.ids.to(first.device), read.tokens, more)


def with_mask(model: nn.Module, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a text with a mask that hides none of its tokens, unless they have one.

    Without a mask, some models take each token for padding that has the id of it.
    """
    given = dict(inputs)
    if "attention_mask" in inspect.signature(model.forward).parameters:
        given.setdefault("attention_mask", torch.ones_like(given["input_ids"]))
    return given


def _wanted(model: nn.Module, more: Mapping[str, Tensor]) -> dict[str, Tensor]:
    known = inspect.signature(model.forward).parameters
    return {name: tensor for name, tensor in more.items() if name in known}


def target_ids(
    model: Any,  # noqa: ANN401
    tokenizer: object,
    target: str | Tensor | None,
    given: dict[str, Any],
) -> tuple[Tensor | None, bool]:
    """Return the ids of a target from its start token on, or let the model write it.

    Also return whether the token after the last row is unknown, as it is if the caller gave the
    decoder's inputs. The decoder of a model that classifies or answers reads the text itself.
    """
    if target is None and given.get("decoder_input_ids") is not None:
        return given["decoder_input_ids"], True
    if target is None and given.get("labels") is not None:
        return _from_labels(model, given["labels"]), False
    if target is None and (given.get("decoder_inputs_embeds") is not None):
        return None, True
    return _written(model, tokenizer, target, given), False


def _from_labels(model: Any, labels: Tensor) -> Tensor | None:  # noqa: ANN401
    """Return the ids that a decoder reads, the labels shifted by one, and the last label."""
    shift = getattr(model, "prepare_decoder_input_ids_from_labels", None)
    if shift is None or labels.dim() != 2:
        return None
    last = labels[:, -1:].clamp(min=0)
    return torch.cat([shift(labels=labels), last], dim=1)


def _generated(model: Any, given: dict[str, Any]) -> Tensor:  # noqa: ANN401
    """Let a model write; without a cache if transformers would give it too few layers."""
    how = {"do_sample": False, "num_beams": 1, "max_new_tokens": MOST_WRITTEN}
    try:
        return model.generate(**copied(((), given))[1], **how)
    except IndexError:
        return model.generate(**copied(((), given))[1], **how, use_cache=False)


def _written(
    model: Any,  # noqa: ANN401
    tokenizer: object,
    target: str | Tensor | None,
    given: dict[str, Any],
) -> Tensor:
    """Return the ids of a target, or let the model write one."""
    if target is None and hasattr(model, "generate"):
        with evaluating(model.modules()):
            return _generated(model, given)
    if target is not None:
        ids = on_device(model, read_text(tokenizer, target, as_target=True)).ids
    elif (ids := given.get("input_ids")) is None:
        raise ValueError(f"{type(model).__name__} cannot write by itself: give target=")
    start = model.config.decoder_start_token_id
    if start is None:
        raise ValueError(
            "the model's config has no decoder_start_token_id, with which a target begins"
        )
    return torch.cat([torch.full_like(ids[:, :1], start), ids], dim=1)


def _names(tokenizer: object, ids: Tensor | None) -> tuple[str, ...]:
    if isinstance(tokenizer, list | tuple):
        return tuple(map(str, tokenizer))
    return () if ids is None else name_tokens(tokenizer, ids[0].tolist())
