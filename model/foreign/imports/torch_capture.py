"""What torch's transformer reads and gives while its user's own code runs it, once."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from model.foreign.imports.torch_stacks import Stack, Stacks

_NOT_FOLLOWED = ("memory_mask",)


@dataclass(frozen=True, eq=False)
class Heard:
    """One stack in one run. The first axis counts sequences, whatever the stack's own order is."""

    input: Float[Tensor, "batch position d_model"]
    output: Float[Tensor, "batch position d_model"]
    causal: bool
    """Whether each position was kept from reading later ones."""
    hidden: Bool[Tensor, "batch position"] | None
    """Positions that nobody was to read, where the run said so."""
    hidden_memory: Bool[Tensor, "batch memory"] | None


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a module."""

    encoder: Heard
    decoder: Heard | None
    result: Tensor
    """What the module gave: the first tensor of it."""


def hear(module: nn.Module, stacks: Stacks, run: Callable[[], object]) -> Run:
    """Run a module once as its user does. Raises ValueError on what cannot be followed."""
    if module.training:
        raise ValueError("the module must be in eval mode, or dropout changes what it computes")
    calls: dict[Stack, list[tuple[Mapping[str, Any], Tensor]]] = {s: [] for s in stacks.all}
    with torch.no_grad(), _listening(calls):
        result = run()
    if strays := [len(found) for found in calls.values() if len(found) != 1]:
        raise ValueError(f"the run must go through each stack once, it went {strays[0]} times")
    encoder, *decoder = (
        _heard(given, output, batch_first=stacks.batch_first)
        for [(given, output)] in calls.values()
    )
    return Run(encoder, decoder[0] if decoder else None, _first_tensor(result))


@contextmanager
def _listening(calls: dict[Stack, list[tuple[Mapping[str, Any], Tensor]]]) -> Iterator[None]:
    """Note what the stacks are called with. The hooks go when the run ends."""
    names = {
        nn.TransformerEncoder: ("src", "mask", "src_key_padding_mask"),
        nn.TransformerDecoder: (
            *("tgt", "memory", "tgt_mask", "memory_mask"),
            *("tgt_key_padding_mask", "memory_key_padding_mask"),
        ),
    }

    def note(stack: Any, args: tuple, kwargs: dict[str, Any], output: Tensor) -> None:  # noqa: ANN401
        order = next(order for kind, order in names.items() if isinstance(stack, kind))
        calls[stack].append((dict(zip(order, args, strict=False)) | kwargs, output))

    handles = [stack.register_forward_hook(note, with_kwargs=True) for stack in calls]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _heard(given: Mapping[str, Any], output: Tensor, *, batch_first: bool) -> Heard:
    side = "src" if "src" in given else "tgt"
    mask = given.get("mask" if side == "src" else "tgt_mask")
    for name in _NOT_FOLLOWED:
        if given.get(name) is not None:
            raise ValueError(f"the run has a {name}, which has no place in the paper's model")
    x = given[side]
    if x.dim() == 2:  # one sentence, without an axis for the batch
        x, output = x.unsqueeze(0), output.unsqueeze(0)
    elif not batch_first:
        x, output = x.transpose(0, 1), output.transpose(0, 1)
    if output.shape != x.shape:  # torch cuts off positions that are padding in every sentence
        raise ValueError(
            f"at least one sentence of the run must have no padding: {x.size(1)} positions went in "
            f"and {output.size(1)} came out"
        )
    return Heard(
        input=x,
        output=output,
        causal=_is_causal(mask, x.size(1)),
        hidden=_forbidden(given.get(f"{side}_key_padding_mask")),
        hidden_memory=_forbidden(given.get("memory_key_padding_mask")),
    )


def _is_causal(mask: Tensor | None, length: int) -> bool:
    if mask is None:
        return False
    later = torch.ones(length, length, dtype=torch.bool, device=mask.device).triu(diagonal=1)
    forbidden = _forbidden(mask)
    if forbidden is None or not forbidden.any():
        return False
    if forbidden.dim() != 2 or not torch.equal(forbidden, later):
        raise ValueError(
            "a mask between positions must hide all later ones and no other, "
            "got one of another kind"
        )
    return True


def _forbidden(mask: Tensor | None) -> Tensor | None:
    """Read either of torch's masks: True may not be read; or numbers to add to the scores."""
    if mask is None or mask.dtype == torch.bool:
        return mask
    if not torch.isin(mask, mask.new_tensor([0.0, -torch.inf])).all():
        raise ValueError("a mask of numbers must be of 0 and -inf only, got others")
    return mask == -torch.inf


def _first_tensor(result: object) -> Tensor:
    values = list(result.values()) if isinstance(result, Mapping) else result
    for value in values if isinstance(values, tuple | list) else (values,):
        if isinstance(value, Tensor):
            return value
    raise ValueError(f"the run must give a tensor, got {type(result).__name__}")
