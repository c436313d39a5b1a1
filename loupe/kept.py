"""Keeps the facts that the first trace of a model showed, for as long as the model lives."""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from model.foreign.recording.plan import Known

_TELLING = 8
"""The number of positions at which a text shows as much about a model as any longer text."""
_kept: WeakKeyDictionary[nn.Module, dict[Hashable, dict[tuple[int, ...], Known]]] = (
    WeakKeyDictionary()
)

batches: WeakKeyDictionary[nn.Module, bool] = WeakKeyDictionary()
"""Whether a model returns the same for texts in a batch as for each text alone."""


class Key(NamedTuple):
    """The properties that two passes must share to show the same facts about a model."""

    form: Hashable
    """Its modules, device, precision and attention code, and the form of its arguments."""
    sizes: tuple[int, ...]
    """The sizes of its arguments: a longer text shows at least as much."""


def key_of(module: nn.Module, args: tuple, inputs: Mapping[str, Any]) -> Key:
    """Compute the key of a pass from the model and its arguments."""
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
    """Return the facts about a model from a pass on a text at least as long; None if unknown."""
    known = _kept.get(module, {}).get(key.form, {})
    for sizes in sorted(known, reverse=True):
        if all(a >= b for a, b in zip(sizes, key.sizes, strict=True)):
            return known[sizes]
    return None


def keep(module: nn.Module, key: Key, known: Known) -> None:
    """Keep the facts about a model, unless they contain its own numbers, which may change."""
    tables = known.plan.positions.values() if known.plan else ()
    if not any(isinstance(table, Tensor) for table in tables):
        _kept.setdefault(module, {}).setdefault(key.form, {})[key.sizes] = known


def forget(module: nn.Module) -> None:
    """Forget all plans of a model, so that its next trace begins as the first one did."""
    _kept.pop(module, None)
