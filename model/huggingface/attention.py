"""The attention that recorded models call: the module's own, and what it read and gave.

transformers looks up a model's attention under the name in its config, and the mask that goes with
it under the same name. While a model is recorded the name is one of ours.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from torch import Tensor, nn

from model.listening import Listener, current_listener

_NAME = "recorded"
OVER = ("eager", "sdpa")
"""Implementations that a model keeps for contexts in which nobody listens."""


@dataclass(frozen=True, eq=False)
class AttentionCall:
    """What a module of transformers asks its attention function for."""

    module: nn.Module
    query: Tensor
    """(batch, head, query, d_k), after rotary positions and norms of queries."""
    key: Tensor
    """(batch, kv_head, key, d_k)."""
    value: Tensor
    added: Tensor | None
    """What is added to the scores: 0 where a query may read, the lowest number where it may not."""
    options: Mapping[str, Any]
    """What else it was given, such as `scaling`, `softcap` and `position_bias`."""
    own: Callable[..., tuple[Tensor, Tensor]]
    """The module's own attention, written out."""


@runtime_checkable
class AttentionListener(Listener, Protocol):
    """A listener that is asked for what an attention gives."""

    def attends(self, path: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        """Give the heads, (batch, query, head, d_v), and the weights of an attention."""
        ...


def name_over(implementation: str | None) -> str:
    """Give the name under which a model is recorded that has this implementation otherwise."""
    return f"{_NAME}_{implementation if implementation in OVER else 'eager'}"


def register() -> None:
    """Make the recording attention known to transformers, with the masks that it needs."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask, sdpa_mask
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    fused = ALL_ATTENTION_FUNCTIONS["sdpa"]
    functions: dict[str, Callable | None] = {"eager": None, "sdpa": fused}
    masks = {"eager": eager_mask, "sdpa": sdpa_mask}
    for implementation in OVER:
        name = name_over(implementation)
        AttentionInterface.register(name, _attention(functions[implementation]))
        # Without a mask function of this name transformers would make no mask at all.
        AttentionMaskInterface.register(name, _mask(eager_mask, masks[implementation]))


def own_attention(module: nn.Module) -> Callable[..., tuple[Tensor, Tensor]]:
    """Find the attention that a module's own file writes out.

    Raises ValueError where there is none.
    """
    for kind in type(module).__mro__:
        own = getattr(sys.modules.get(kind.__module__), "eager_attention_forward", None)
        if own is not None:
            return own
    raise ValueError(
        f"{type(module).__name__} does not write out its attention where it can be called; models "
        "whose file in transformers has an eager_attention_forward can be recorded"
    )


def _attention(otherwise: Callable | None) -> Callable[..., tuple[Tensor, Tensor | None]]:
    def attention(
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None,
        **options: Any,  # noqa: ANN401
    ) -> tuple[Tensor, Tensor | None]:
        listener = current_listener()
        path = listener.paths.get(module) if isinstance(listener, AttentionListener) else None
        if not isinstance(listener, AttentionListener) or path is None:
            function = otherwise or own_attention(module)
            return function(module, query, key, value, attention_mask, **options)
        own = own_attention(module)
        call = AttentionCall(module, query, key, value, attention_mask, options, own)
        return listener.attends(path, call)

    return attention


def _mask(recorded: Callable, otherwise: Callable) -> Callable[..., Tensor | None]:
    def mask(*args: Any, **kwargs: Any) -> Tensor | None:  # noqa: ANN401
        is_recorded = isinstance(current_listener(), AttentionListener)
        return (recorded if is_recorded else otherwise)(*args, **kwargs)

    return mask
