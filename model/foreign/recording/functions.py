"""Listens to one pass in one thread: which modules run, and which attentions they compute."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode, _get_current_function_mode

from model.foreign.recording.attention import (
    FAR_BELOW,
    AttentionCall,
    is_unread,
    once_for_equal,
    softmax_of,
    split_added,
)
from model.foreign.recording.flex_attention import read_flex
from model.foreign.recording.function_kinds import kind_of
from model.foreign.recording.manual_attention import ByHand
from model.foreign.recording.paths import Paths
from model.foreign.recording.sums import tensors_in
from model.traces import for_each_head, scaled_scores

Call = tuple[str, int]
"""A module's name and the number of its earlier runs in this pass; layers may share a module."""


class Listener(TorchFunctionMode):
    """Receives the tensors that flow through a model, and may replace some of them.

    Hooks report the inputs and outputs of modules. Attentions are reported by transformers'
    interface, by torch's attention functions, the two older of which are computed step by step
    instead, and by a softmax written out in code.
    """

    def __init__(self, paths: Paths, *, repeats: bool = False) -> None:
        super().__init__()
        self.paths = paths
        """The modules of the model that it listens to."""
        self.follows_functions = True
        """Whether all torch functions are searched for attentions."""
        self.masks: dict[int, tuple[Tensor, Any]] = {}
        """The masks and biases derived from transformers' masks, by the ids of these."""
        self._running: list[Call] = []
        self._ran: Counter[str] = Counter()
        self._by_hand = ByHand(self, repeats=repeats)
        self._modules = {path: module for module, path in paths.items()}
        self._attending: set[str] = set()
        self._asleep = False

    @property
    def saw_softmax(self) -> bool:
        """Whether any softmax ran outside of the attentions."""
        return self._by_hand.saw_softmax

    @property
    def saw_exponents(self) -> bool:
        """Whether any function ran with which code can compute a softmax."""
        return self._by_hand.saw_exponents

    @property
    def reads_table(self) -> bool:
        """Whether a softmax mixed rows that belong to the model rather than to a text."""
        return self._by_hand.reads_table

    def begins(self, *given: object) -> None:
        """Note the model's arguments."""
        self._by_hand.begins(list(tensors_in(given)))

    def apart(
        self, tell: Callable[[str, Tensor | None], Tensor | None], path: str, x: Tensor | None
    ) -> Tensor | None:
        """Report a module that begins or ends, without following the functions called meanwhile."""
        with self._unheard():
            new = tell(path, x)
        if new is not x:
            self._by_hand.replaces(x, new)
        return new

    @contextmanager
    def _unheard(self) -> Iterator[None]:
        """Run code that is not the model's; turning the mode off for it also saves time."""
        before, self._asleep = self._asleep, True
        is_on = not before and _get_current_function_mode() is self
        if is_on:
            self.__exit__(None, None, None)
        try:
            yield
        finally:
            if is_on:
                self.__enter__()
            self._asleep = before

    def enters(self, path: str, x: Tensor | None) -> Tensor | None:
        """Note that a module begins; return the first tensor for it to read."""
        if x is not None and self._running and self.follows_functions:
            x = self._by_hand.enters(self._modules[path], x)
        call = path, self._ran[path]
        self._ran[path] += 1
        self._running.append(call)
        return self.reads(call, x)

    def leaves(self, path: str, x: Tensor | None) -> Tensor | None:
        """Note that a module ends, with those inside it; return the first tensor of its output."""
        while self._running:
            call = self._running[-1]
            if call[0] == path:
                if self.follows_functions:
                    x = self._ends(path, x)
                self._running.pop()
                return self.gives(call, x)
            self._running.pop()
        return x

    def _ends(self, path: str, x: Tensor | None) -> Tensor | None:
        """Report the attentions of a module that ends; return its output, edited or not."""
        new = self._by_hand.leaves(path, x, is_last=len(self._running) == 1)
        if path in self._attending:
            self._by_hand.forget()
        return new if isinstance(new, Tensor) else x

    def reads(self, call: Call, x: Tensor | None) -> Tensor | None:  # noqa: ARG002
        """Return the first tensor for a module to read: the given one, or another."""
        return x

    def gives(self, call: Call, x: Tensor | None) -> Tensor | None:  # noqa: ARG002
        """Return the first tensor of a module's output: the given one, or another."""
        return x

    def attends(self, path: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        """Return the heads, (batch, head, query, d_v), and the weights of an attention."""
        raise NotImplementedError

    def overwrites(self, x: Tensor) -> None:
        """Receive notice that a tensor is about to be changed in place."""

    def hear(self, call: AttentionCall, path: str | None = None) -> tuple[Tensor, Tensor]:
        """Report an attention, without taking the functions that compute it for another one."""
        here = self._running[-1][0] if self._running else ""
        self._attending.add(here if path is None else path)
        with self._unheard():
            heads, weights = self.attends(here if path is None else path, call)
        self._by_hand.follows(heads, weights)
        return heads, weights

    def __torch_function__(
        self,
        func: Callable,
        types: Any,  # noqa: ANN401
        args: tuple = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        """Compute torch's attention functions, and search all other functions for attentions."""
        kwargs = kwargs or {}
        if self._asleep or (kind := kind_of(func)).asks:
            return func(*args, **kwargs)
        changes = kind.is_in_place or bool(kwargs.get("inplace"))
        if changes and args and isinstance(args[0], Tensor):
            args, kwargs = self._by_hand.settled(func, args, kwargs)
            self.overwrites(args[0])
        if func is functional.scaled_dot_product_attention:
            result = self._scaled_dot_product(*args, **kwargs)
        elif func is functional.multi_head_attention_forward:
            result = self._multi_head(*args, **kwargs)
        elif kind.name == "flex_attention":
            result = self._flex(func(*args, **kwargs), *args)
        else:
            here = self._running[-1][0] if self._running else ""
            return self._by_hand.run(func, args, kwargs, here)
        self._by_hand.passed(func, args, kwargs, result)
        return result

    def _multi_head(
        self,
        query: Tensor,
        key: Tensor,
        *args: Any,  # noqa: ANN401
        need_weights: bool = True,
        average_attn_weights: bool = True,
        **kwargs: Any,  # noqa: ANN401
    ) -> tuple[Tensor, Tensor | None]:
        """Compute `F.multi_head_attention_forward`, which `nn.MultiheadAttention` calls.

        torch's own code runs, with Loupe's scaled dot-product attention in it.
        """
        told: list[Tensor] = []
        is_one = query is key or (query.shape == key.shape and torch.equal(query, key))

        def attend(*asked: Any, **more: Any) -> Tensor:  # noqa: ANN401
            # If it returns weights, torch computes NaN for a query that may read nothing.
            facts = {"is_safe": not need_weights, "reads_itself": is_one, "told": told}
            return self._scaled_dot_product(*asked, **more, **facts)

        run = _multi_head_with(attend)
        output, _ = run(query, key, *args, **kwargs, need_weights=False)
        if not need_weights:
            return output, None
        weights = told[0].mean(dim=1) if average_attn_weights else told[0]
        return output, weights if output.dim() == 3 else weights[0]

    def _flex(
        self,
        result: tuple[Tensor, ...],
        query: Tensor,
        key: Tensor,
        value: Tensor,
        score_mod: Callable[..., Tensor],
        block_mask: tuple,
        scale: float,
        *_: object,
    ) -> tuple[Tensor, ...]:
        """Report the attention of `flex_attention`; return its result, with heads edited or not."""
        own, *others = result
        self._by_hand.saw_softmax = True
        call = read_flex((query, key, value), score_mod, block_mask[-1], scale, own)
        return result if call is None else (self.hear(call)[0], *others)

    def _scaled_dot_product(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,  # noqa: ARG002
        *,
        is_safe: bool = True,
        reads_itself: bool | None = None,
        told: list[Tensor] | None = None,
    ) -> Tensor:
        """Compute `F.scaled_dot_product_attention`, with any number of axes before the last two.

        Grouped queries are recognised by the numbers of heads.
        """
        if query.is_nested:
            raise ValueError("attentions over nested tensors cannot be recorded; give padded ones")
        factor = query.size(-1) ** -0.5 if scale is None else scale
        q_four, k_four, v_four = (_four_axes(x) for x in (query, key, value))
        mask, added = attn_mask, None
        if is_causal or mask is None:
            mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device)
            mask = mask.tril() if is_causal else mask
        mask = _like_scores(mask, query)
        if mask.dtype != torch.bool:
            mask, added = split_added(mask)
            if added is not None and (added <= FAR_BELOW).any():
                scores = scaled_scores(q_four, k_four, factor, added)
                hidden = (added <= FAR_BELOW) & is_unread(softmax_of(scores, mask), added)
                mask, added = mask & ~hidden, added.masked_fill(hidden, 0)
                added = added if added.any() else None
        wide = once_for_equal(mask)

        def compute(
            q: Tensor, k: Tensor, v: Tensor, scores: Tensor | None, other: Tensor | None
        ) -> tuple[Tensor, Tensor]:
            asked = scaled_scores(q, k, factor, added) if scores is None else scores
            is_edited = scores is not None or other is not None
            weights = softmax_of(
                asked, wide if other is None else other, is_safe=is_safe or is_edited
            )
            kept = functional.dropout(weights, dropout_p) if dropout_p else weights
            return kept @ for_each_head(v, q.size(1)), weights

        call = AttentionCall(
            query=q_four,
            key=k_four,
            value=v_four,
            mask=wide,
            scale=factor,
            bias=added,
            compute=compute,
            reads_itself=reads_itself,
        )
        heads, weights = self.hear(call)
        if told is not None:
            told.append(weights)
        return heads.reshape(*query.shape[:-1], value.size(-1))


def share_memory(x: Tensor, y: Tensor) -> bool:
    """Return whether two tensors may share memory."""
    try:
        return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()
    except RuntimeError:  # a tensor inside a transform of torch.func
        return False


def _multi_head_with(attention: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, None]]:
    """Return torch's multi-head attention, with another scaled dot-product attention in it."""
    own = functional.multi_head_attention_forward
    names = {
        **own.__globals__,
        "scaled_dot_product_attention": attention,
        "has_torch_function": lambda _: False,
    }
    return FunctionType(own.__code__, names, own.__name__, own.__defaults__)


def _four_axes(x: Tensor) -> Tensor:
    """Bring a tensor to (batch, head, position, size)."""
    if x.dim() == 2:
        return x[None, None]
    return x.unsqueeze(1) if x.dim() == 3 else x.flatten(0, -4)


def _like_scores(x: Tensor, query: Tensor) -> Tensor:
    """Bring a tensor that broadcasts to the scores of `query` to (batch, head, query, key)."""
    x = x.reshape((1,) * (query.dim() - x.dim()) + x.shape)
    return _four_axes(x.expand(*query.shape[:-3], *x.shape[-3:]) if x.dim() > 4 else x)
