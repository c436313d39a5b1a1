"""Catch torch's attention functions in one thread, and compute them step by step."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from model.edits import Edits
from model.listening import Paths
from model.traces import for_each_head, scaled_scores

_FAR_BELOW = -1e4
"""What is added to a score to hide its key, where that is no infinity: usually -1e9."""


@dataclass(frozen=True, eq=False)
class CaughtAttention:
    """One attention of a module, whatever axes its code keeps its tensors in."""

    query: Float[Tensor, "batch head query d_k"]
    key: Float[Tensor, "batch kv_head key d_k"]
    value: Float[Tensor, "batch kv_head key d_v"]
    scale: float
    """What dot products are multiplied by to become scores."""
    bias: Float[Tensor, "#batch #head #query key"] | None
    """What is added to the scaled products besides the mask."""
    edited_scores: Float[Tensor, "batch head query key"] | None
    """The scores where an edit replaced them, else None: query and key give them back."""
    mask: Bool[Tensor, "#batch #head #query key"]
    """True where the query may attend to the key, in whichever way the module's code says it."""
    weights: Float[Tensor, "batch head query key"]
    """Softmax of the masked scores, before dropout."""
    heads: Float[Tensor, "batch head query d_v"]
    output: Float[Tensor, "batch query d_model"] | None
    """What `nn.MultiheadAttention` makes of the heads; None where other code does it."""
    reads_itself: bool | None
    """Whether `nn.MultiheadAttention` was given one tensor for queries and keys; None where other
    code makes them."""

    @property
    def scores(self) -> Float[Tensor, "batch head query key"]:
        """Scores before the mask."""
        if self.edited_scores is not None:
            return self.edited_scores
        return scaled_scores(self.query, self.key, self.scale, self.bias)


@dataclass(frozen=True, eq=False)
class _Request:
    """What an attention function was asked for."""

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor
    bias: Tensor | None
    scale: float
    dropout: float
    is_safe: bool
    """Whether a query without any key reads nothing, in place of giving no number."""


class AttentionCatcher(TorchFunctionMode):
    """A listener that knows which module runs, and computes its attentions itself."""

    def __init__(self, paths: Paths, edits: Edits) -> None:
        super().__init__()
        self.paths = paths
        self.attentions: dict[str, CaughtAttention] = {}
        self.names: set[str] = set()
        """Of the tensors that could be edited."""
        self.saw_softmax = False
        self._edits = edits
        self._running: list[str] = []
        self._ran: Counter[str] = Counter()

    def enters(self, path: str, x: Tensor | None) -> Tensor | None:
        """Note that a module begins."""
        self._running.append(path)
        return x

    def leaves(self, path: str, x: Tensor | None) -> Tensor | None:
        """Note that it ends, and with it all that it began."""
        while self._running and self._running.pop() != path:
            pass
        return x

    def __torch_function__(
        self,
        func: Callable,
        types: Any,  # noqa: ANN401
        args: tuple = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        """Answer the two attention functions, and let all others run."""
        if func is functional.scaled_dot_product_attention:
            return self._scaled_dot_product(*args, **(kwargs or {}))
        if func is functional.multi_head_attention_forward:
            return self._multi_head(*args, **(kwargs or {}))
        self.saw_softmax |= getattr(func, "__name__", "") == "softmax"
        return func(*args, **(kwargs or {}))

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

        torch's own code runs, with another scaled dot-product attention in it.
        """
        name = self._next_name()

        def attend(*asked: Any, **more: Any) -> Tensor:  # noqa: ANN401
            # Where it gives its weights, torch has no number for a query that may read nothing.
            return self._scaled_dot_product(*asked, **more, name=name, is_safe=not need_weights)

        run = _multi_head_with(attend)
        output, _ = run(query, key, *args, **kwargs, need_weights=False)
        caught = self.attentions[name]
        output = self._edit(name, "output", output)
        self.attentions[name] = replace(
            caught, output=_batch_first(output), reads_itself=_is_one(query, key)
        )
        if not need_weights:
            return output, None
        weights = caught.weights.mean(dim=1) if average_attn_weights else caught.weights
        return output, weights if output.dim() == 3 else weights[0]

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
        name: str | None = None,
        is_safe: bool = True,
    ) -> Tensor:
        """Compute `F.scaled_dot_product_attention`, of any number of axes before the last two.

        Whether queries are grouped is seen from the heads.
        """
        if query.is_nested:
            raise ValueError("attentions over nested tensors cannot be recorded; give padded ones")
        mask, bias = _may_read(attn_mask)
        if bias is not None and (bias < _FAR_BELOW).any():
            hidden = _unread(query, key, bias, query.size(-1) ** -0.5 if scale is None else scale)
            mask = ~hidden if mask is None else mask & ~hidden
            bias = bias.masked_fill(hidden, 0)
            bias = bias if bias.any() else None
        if is_causal or mask is None:
            mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device)
            mask = mask.tril() if is_causal else mask
        heads = self._attend(
            name or self._next_name(),
            _Request(
                query=_four_axes(query),
                key=_four_axes(key),
                value=_four_axes(value),
                mask=_once_for_equal_heads(_like_scores(mask, query)),
                bias=None if bias is None else _like_scores(bias, query),
                scale=query.size(-1) ** -0.5 if scale is None else scale,
                dropout=dropout_p,
                is_safe=is_safe,
            ),
        )
        return heads.reshape(*query.shape[:-1], value.size(-1))

    def _attend(self, name: str, asked: _Request) -> Tensor:
        query = self._edit(name, "query", asked.query)
        key = self._edit(name, "key", asked.key)
        value = self._edit(name, "value", asked.value)
        n_heads = query.size(1)
        plain = scaled_scores(query, key, asked.scale, asked.bias)
        scores = self._edit(name, "scores", plain)
        wide = asked.mask.expand(query.size(0), -1, query.size(2), -1)
        mask = self._edit(name, "mask", wide)
        masked = scores.masked_fill(~mask, -torch.inf)
        weights = masked.softmax(dim=-1)
        if asked.is_safe or scores is not plain or mask is not wide:
            weights = weights.masked_fill((masked == -torch.inf).all(dim=-1, keepdim=True), 0.0)
        weights = self._edit(name, "weights", weights)
        kept = functional.dropout(weights, asked.dropout) if asked.dropout else weights
        heads = self._edit(name, "heads", kept @ for_each_head(value, n_heads))
        self.attentions[name] = CaughtAttention(
            query=query,
            key=key,
            value=value,
            scale=asked.scale,
            bias=asked.bias,
            edited_scores=None if scores is plain else scores,
            mask=asked.mask if mask is wide else mask,
            weights=weights,
            heads=heads,
            output=None,
            reads_itself=None,
        )
        return heads

    def _edit(self, name: str, part: str, value: Tensor) -> Tensor:
        self.names.add(f"{name}.{part}")
        return self._edits.part(name).apply(part, value)

    def _next_name(self) -> str:
        path = (self._running[-1] if self._running else "") or "attention"
        self._ran[path] += 1
        times = self._ran[path]
        return path if times == 1 else f"{path}({times})"


def _multi_head_with(attention: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, None]]:
    """Give torch's multi-head attention, with another scaled dot-product attention in it."""
    own = functional.multi_head_attention_forward
    names = {
        **own.__globals__,
        "scaled_dot_product_attention": attention,
        "has_torch_function": lambda _: False,
    }
    return FunctionType(own.__code__, names, own.__name__, own.__defaults__)


def _may_read(given: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """Split what is given as a mask into the places that may be read, and what is added to them."""
    if given is None or given.dtype == torch.bool:
        return given, None
    may_read = given > torch.finfo(given.dtype).min / 2
    added = given.masked_fill(~may_read, 0)
    return may_read, added if added.any() else None


def _unread(query: Tensor, key: Tensor, bias: Tensor, scale: float) -> Tensor:
    """Find where what is added hides a key from a query: no head has any weight there."""
    key = key.repeat_interleave(query.size(-3) // key.size(-3), -3) if query.dim() > 2 else key
    weights = (query @ key.transpose(-2, -1) * scale + bias).softmax(dim=-1)
    read = (weights != 0).flatten(0, -3).any(dim=0) if weights.dim() > 2 else weights != 0
    while read.dim() < bias.dim():
        read = read[None]
    return (bias < _FAR_BELOW) & ~read


def _four_axes(x: Tensor) -> Tensor:
    """Bring a tensor to (batch, head, position, size)."""
    if x.dim() == 2:
        return x[None, None]
    return x.unsqueeze(1) if x.dim() == 3 else x.flatten(0, -4)


def _like_scores(x: Tensor, query: Tensor) -> Tensor:
    """Bring what is spread over the scores of `query` to (batch, head, query, key)."""
    x = x.reshape((1,) * (query.dim() - x.dim()) + x.shape)
    return _four_axes(x.expand(*query.shape[:-3], *x.shape[-3:]) if x.dim() > 4 else x)


def _once_for_equal_heads(mask: Tensor) -> Tensor:
    return mask[:, :1] if (mask == mask[:, :1]).all() else mask


def _is_one(query: Tensor, key: Tensor) -> bool:
    return query is key or (query.shape == key.shape and torch.equal(query, key))


def _batch_first(output: Tensor) -> Tensor:
    """Bring the output of torch's function, (query, batch, d_model), to the record's order."""
    return output.transpose(0, 1) if output.dim() == 3 else output[None]
