"""What the first trace of a model showed of it, kept for as long as the model lives."""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from model.foreign.recording.plan import Known

_TELLING = 8
"""Positions from which on a text shows as much of a model as a longer one."""
_kept: WeakKeyDictionary[nn.Module, dict[Hashable, dict[tuple[int, ...], Known]]] = (
    WeakKeyDictionary()
)

batches: WeakKeyDictionary[nn.Module, bool] = WeakKeyDictionary()
"""Whether texts that a model is given together give what each gives alone."""


class Key(NamedTuple):
    """What has to be the same for two passes to show the same of a model."""

    form: Hashable
    """Its modules, where and in what numbers it computes, how it attends, what it is given."""
    sizes: tuple[int, ...]
    """Of what it is given: a longer text shows at least as much."""


def key_of(module: nn.Module, args: tuple, inputs: Mapping[str, Any]) -> Key:
    """Return what is told of a pass by its model and by what that is called with."""
    parts = tuple((path, type(part)) for path, part in module.named_modules())
    first = next(module.parameters(), None)
    where = None if first is None else (first.device, first.dtype)
    kind = "cpu" if first is None else first.device.type
    cast = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
    attends = getattr(getattr(module, "config", None), "_attn_implementation", None)
    given = [*enumerate(args), *inputs.items()]
    tensors = [x for _, x in given if isinstance(x, Tensor)]
    forms = tuple(
        (name, (x.dtype, x.dim()) if isinstance(x, Tensor) else type(x)) for name, x in given
    )
    sizes = tuple(min(size, _TELLING) for x in tensors for size in x.shape)
    return Key((parts, where, cast, attends, forms), sizes)


def kept(module: nn.Module, key: Key) -> Known | None:
    """Return what is known of a model by a pass on a text as long, or longer."""
    known = _kept.get(module, {}).get(key.form, {})
    for sizes in sorted(known, reverse=True):
        if all(a >= b for a, b in zip(sizes, key.sizes, strict=True)):
            return known[sizes]
    return None


def keep(module: nn.Module, key: Key, known: Known) -> None:
    """Keep what is known of a model, but for numbers of its own, which it may change."""
    tables = known.plan.positions.values() if known.plan else ()
    if not any(isinstance(table, Tensor) for table in tables):
        _kept.setdefault(module, {}).setdefault(key.form, {})[key.sizes] = known


def forget(module: nn.Module) -> None:
    """Forget all plans of a model, so that its next trace begins as the first one did."""
    _kept.pop(module, None)
