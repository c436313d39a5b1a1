"""One pass through a model as it happened: which module read what, gave what, and when."""

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.huggingface.attention import AttentionCall
from model.huggingface.formula import is_softmax_of, scores_of, terms_of
from model.listening import Paths


@dataclass(eq=False)
class ModuleCall:
    """One run of a module."""

    module: nn.Module
    path: str
    nth: int
    """How many times the module ran before in this pass."""
    within: tuple["ModuleCall", ...]
    """The runs that this one is part of, the outermost first."""
    begins: int
    """When, counted in events."""
    input: Tensor | None
    output: Tensor | None = None
    ends: int = 0

    @property
    def is_norm(self) -> bool:
        """Whether this is a norm, by the name of its class: all of them are called so."""
        return "norm" in type(self.module).__name__.lower()

    @property
    def is_linear(self) -> bool:
        """Whether this is one map of vectors; an embedding has a matrix as well."""
        weight = getattr(self.module, "weight", None)
        is_matrix = isinstance(weight, Tensor) and weight.dim() == 2
        return is_matrix and not isinstance(self.module, nn.Embedding)


@dataclass(frozen=True, eq=False)
class AttentionEvent:
    """One run of an attention."""

    module: ModuleCall
    at: int
    merged: Tensor
    """All heads side by side, as the output projection reads them."""
    heads: int
    kv_heads: int
    is_causal: bool | None
    """Whether no query read a later position; None where there was only one position."""


class Log:
    """A listener that writes down everything and changes nothing."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.calls: list[ModuleCall] = []
        self.attentions: list[AttentionEvent] = []
        self._modules = {path: module for module, path in paths.items()}
        self._open: list[ModuleCall] = []
        self._ran: Counter[str] = Counter()
        self._now = 0

    def enters(self, path: str, x: Tensor | None) -> Tensor | None:
        """Note what a module reads."""
        call = ModuleCall(
            module=self._modules[path],
            path=path,
            nth=self._ran[path],
            within=tuple(self._open),
            begins=self._tick(),
            input=_copy(x),
        )
        self._ran[path] += 1
        self.calls.append(call)
        self._open.append(call)
        return x

    def leaves(self, path: str, x: Tensor | None) -> Tensor | None:  # noqa: ARG002
        """Note what a module gives."""
        call = self._open.pop()
        call.output, call.ends = _copy(x), self._tick()
        return x

    def attends(self, path: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        """Note an attention. Raises ValueError where it is none that a record can describe."""
        heads, weights = call.own(
            call.module, call.query, call.key, call.value, call.added, **call.options
        )
        terms = terms_of(call)
        if not is_softmax_of(weights, scores_of(call.query, call.key, terms), terms.mask):
            raise ValueError(
                f"the attention weights of {path} ({type(call.module).__name__}) are not the "
                "softmax of scaled products of queries and keys, so that they cannot be recorded"
            )
        self.attentions.append(
            AttentionEvent(
                module=self._open[-1],
                at=self._tick(),
                merged=heads.flatten(2).clone(),
                heads=call.query.size(1),
                kv_heads=call.key.size(1),
                is_causal=_is_causal(terms.mask, call),
            )
        )
        return heads, weights

    def _tick(self) -> int:
        self._now += 1
        return self._now


def _copy(x: Tensor | None) -> Tensor | None:
    return None if x is None else x.detach().clone()


def _is_causal(mask: Tensor, call: AttentionCall) -> bool | None:
    n_queries, n_keys = call.query.size(2), call.key.size(2)
    if n_queries != n_keys:
        return False
    if n_queries == 1:
        return getattr(call.module, "is_causal", None)
    later = torch.ones(n_queries, n_keys, dtype=torch.bool, device=mask.device).triu(1)
    return not bool((mask & later).any())
