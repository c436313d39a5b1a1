"""The attentions of any torch module, recorded while its own code runs.

    trace = trace_module(module, x, mask=mask)
    trace["layers.0.self_attn"].weights

An attention is found where a module calls `torch.nn.functional.scaled_dot_product_attention` or is
an `nn.MultiheadAttention`. Both are caught by a `TorchFunctionMode`, which belongs to one thread,
and computed step by step. A softmax written by hand is nothing that can be recognised.
"""

import difflib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from model.edits import NO_EDITS, Edits
from model.held import evaluating
from model.listening import hooked, listening
from model.module_attention import AttentionCatcher, CaughtAttention
from model.module_sites import ModuleSite, sites_of


@dataclass(frozen=True, eq=False)
class ModuleTrace:
    """One pass of a module."""

    attentions: Mapping[str, CaughtAttention]
    """By name, in the order in which they ran. A name is the path of the module that attended; from
    the second time on in one pass it ends in `(2)`, `(3)` ..."""
    output: Any
    """What the module gave."""
    difference: float | None
    """Largest distance of its numbers from what the module gives unrecorded, by torch's fused
    attention; None where edits keep them apart."""

    def __getitem__(self, name: str) -> CaughtAttention:
        return self.attentions[name]

    @property
    def sites(self) -> tuple[ModuleSite, ...]:
        """Give the attentions by kind, each kind with its layers."""
        return sites_of(self.attentions)


def trace_module(
    module: nn.Module,
    *args: Any,  # noqa: ANN401
    edits: Edits = NO_EDITS,
    **kwargs: Any,  # noqa: ANN401
) -> ModuleTrace:
    """Run a module and record its attentions; the module is left as it was.

    It runs in evaluation mode, and twice: unrecorded too, for the difference to be known. Edits are
    named as the tensors are, `layers.0.self_attn.weights[2]`: `query`, `key`, `value`, `scores`,
    `mask`, `weights` and `heads` can be edited, and the `output` of an `nn.MultiheadAttention`.

    Raises ValueError where no attention is caught, and where an edit's name is unknown.
    """
    module = getattr(module, "_orig_mod", module)  # what torch.compile was given
    paths = {part: _uncompiled(path) for path, part in module.named_modules()}
    if any(isinstance(part, torch.jit.ScriptModule) for part in paths):
        raise ValueError(
            "a module of torch.jit.script runs outside of Python, where nothing can be recorded; "
            "give the module that it was made of"
        )
    catcher = AttentionCatcher(paths, edits)
    with evaluating(paths):
        plain = None if edits.by_name else module(*args, **kwargs)
        with hooked(paths), listening(catcher), catcher:
            output = module(*args, **kwargs)
    if not catcher.attentions:
        raise ValueError(_why_nothing(module, saw_softmax=catcher.saw_softmax))
    _check_all_used(edits, catcher)
    return ModuleTrace(
        attentions=catcher.attentions,
        output=output,
        difference=None if edits.by_name else _distance(plain, output, catcher),
    )


def _uncompiled(path: str) -> str:
    """Return a path without the steps that torch.compile puts into it."""
    return ".".join(step for step in path.split(".") if step != "_orig_mod")


def _why_nothing(module: nn.Module, *, saw_softmax: bool) -> str:
    name = type(module).__name__
    if not saw_softmax:
        return f"{name} has no attention: no softmax ran in it"
    return (
        f"{name} called neither F.scaled_dot_product_attention nor nn.MultiheadAttention, so no "
        "attention could be recorded; a softmax that is written by hand cannot be told from any "
        "other: let the module call one of the two"
    )


def _check_all_used(edits: Edits, catcher: AttentionCatcher) -> None:
    for key in edits.by_name:
        if key.partition("[")[0] not in catcher.names:
            nearest = difflib.get_close_matches(key, catcher.names, n=3, cutoff=0.0)
            raise ValueError(f"nothing is captured as {key!r}; nearest: {', '.join(nearest)}")


def _distance(plain: object, output: object, catcher: AttentionCatcher) -> float:
    hides = any(not a.mask.any(dim=-2).all() for a in catcher.attentions.values())
    pairs = zip(tensors_in(plain), tensors_in(output), strict=True)
    return max((_largest_distance(a, b, may_be_zero=hides) for a, b in pairs), default=0.0)


def _largest_distance(plain: Tensor, output: Tensor, *, may_be_zero: bool) -> float:
    """Give how far two outputs are apart.

    Where keys were hidden, torch's fused path may have left rows out, which it gives as zeros:
    nobody reads them.
    """
    if plain.shape != output.shape or plain.numel() == 0:
        return math.inf if plain.shape != output.shape else 0.0
    plain, output = plain.cpu(), output.cpu()  # not every device has float64
    apart = (plain.double() - output.double()).abs()
    apart = apart.masked_fill(plain.isnan() & output.isnan(), 0).nan_to_num(nan=math.inf)
    if may_be_zero and plain.dim() > 1:
        apart = apart.masked_fill((plain == 0).all(dim=-1, keepdim=True), 0)
    return apart.max().item()


def tensors_in(value: object) -> Iterator[Tensor]:
    """Yield the tensors of what a module gave, in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_in(item)
