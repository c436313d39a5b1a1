"""The attention that recorded models of transformers call, which reports its arguments to Loupe.

transformers looks up a model's attention, and the function that makes its mask, by a name in the
config. While a model is recorded, that name leads to Loupe's functions: without a listener they run
the model's usual attention, and with a listener the attention written out in the module's file.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from model.foreign.recording.attention import AttentionCall, split_added
from model.foreign.recording.hooks import current_listener
from model.foreign.recording.paths import Paths
from model.foreign.recording.shared_settings import Held
from model.traces import present, scaled_scores

if TYPE_CHECKING:
    from model.foreign.recording.functions import Listener

_NAME = "recorded"
OVER = ("eager", "sdpa")
"""The implementations that a model keeps using in contexts without a listener."""
_implementations = Held()


@contextmanager
def heard_attention(paths: Paths) -> Iterator[None]:
    """Let modules of transformers call Loupe's attention instead of their own."""
    configs: dict[int, Any] = {}
    # A file without an attention function reads the name itself, and does not know Loupe's.
    waiting = [each.config for each in paths if hasattr(each, "config") and _own_attention(each)]
    while waiting:
        config = waiting.pop()
        if id(config) in configs or not hasattr(config, "_attn_implementation_internal"):
            continue
        configs[id(config)] = config
        waiting += [getattr(config, name, None) for name in getattr(config, "sub_configs", ())]
    if configs:
        _register()
    with _implementations.each(
        list(configs.values()), "_attn_implementation_internal", new=_name_over
    ):
        yield


def _name_over(implementation: str | None) -> str:
    """Return the name under which to record a model that usually has this implementation."""
    return f"{_NAME}_{implementation if implementation in OVER else 'eager'}"


def _register() -> None:
    """Register the recording attention in transformers, with the masks that it needs."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask, sdpa_mask
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    functions: dict[str, Callable | None] = {"eager": None, "sdpa": ALL_ATTENTION_FUNCTIONS["sdpa"]}
    masks = {"eager": eager_mask, "sdpa": sdpa_mask}
    for implementation in OVER:
        name = _name_over(implementation)
        AttentionInterface.register(name, _attention(functions[implementation]))
        # Without a mask function of this name, transformers would make no mask at all.
        AttentionMaskInterface.register(name, _mask(eager_mask, masks[implementation]))


def _own_attention(module: nn.Module) -> Callable[..., tuple[Tensor, Tensor]] | None:
    """Find the attention function in a module's own file."""
    files = (sys.modules.get(kind.__module__) for kind in type(module).__mro__)
    found = (getattr(file, "eager_attention_forward", None) for file in files)
    return next((own for own in found if own is not None), None)


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
        path = listener.paths.get(module) if listener else None
        if listener is None or path is None:
            function = otherwise or present(_own_attention(module))
            return function(module, query, key, value, attention_mask, **options)
        call = _call(listener, module, (query, key, value), attention_mask, options)
        heads, weights = listener.hear(call, path)
        return heads.transpose(1, 2), weights

    return attention


def _mask(recorded: Callable, otherwise: Callable) -> Callable[..., Tensor | None]:
    def mask(*args: Any, **kwargs: Any) -> Tensor | None:  # noqa: ANN401
        return (recorded if current_listener() else otherwise)(*args, **kwargs)

    return mask


def _call(
    listener: "Listener",
    module: nn.Module,
    given: tuple[Tensor, Tensor, Tensor],
    added: Tensor | None,
    options: dict[str, Any],
) -> AttentionCall:
    """Describe in a record's terms the attention that a module of transformers computes."""
    query, key, _ = given
    own = present(_own_attention(module))
    scale, cap = options.get("scaling"), options.get("softcap")
    factor = query.size(-1) ** -0.5 if scale is None else float(scale)
    mask, bias = _mask_and_bias(listener, key, added, options.get("position_bias"))

    def compute(
        q: Tensor, k: Tensor, v: Tensor, scores: Tensor | None, other: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        more = added if other is None else _added_for(query, key, added, mask, other)
        if scores is not None:
            change = scores - scaled_scores(q, k, factor, bias, cap)
            more = change if more is None else more + change
        heads, weights = own(module, q, k, v, more, **options)
        return heads.transpose(1, 2), weights

    return AttentionCall(*given, mask, factor, bias, compute, cap, is_said=True)


def _mask_and_bias(
    listener: "Listener", key: Tensor, added: Tensor | None, bias: Tensor | None
) -> tuple[Tensor, Tensor | None]:
    if bias is not None and not bias.any():
        bias = None
    if added is None:
        return torch.ones(1, 1, 1, key.size(2), dtype=torch.bool, device=key.device), bias
    if id(added) not in listener.masks:
        may_read, rest = split_added(added)
        listener.masks[id(added)] = added, (may_read.all(dim=1, keepdim=True), rest)
    mask, rest = listener.masks[id(added)][1]
    return mask, rest if bias is None else bias if rest is None else bias + rest


def _added_for(
    query: Tensor, key: Tensor, added: Tensor | None, mask: Tensor, new: Tensor
) -> Tensor:
    """Compute the term to add to the scores so that `new` replaces `mask`."""
    batch, _, n_queries, _ = query.shape
    if added is None:
        added = query.new_zeros(1, 1, n_queries, key.size(2))
    added = added.expand(batch, -1, n_queries, -1).clone()
    return added.masked_fill(new & ~mask, 0).masked_fill(~new, torch.finfo(query.dtype).min)
