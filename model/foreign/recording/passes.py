"""Runs one pass of a model, on copies of its arguments because a pass may change them."""

import copy
import inspect
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

from model.foreign.recording.hooks import listening
from model.foreign.recording.shared_settings import uncompiled
from model.foreign.recording.state import leaving_state

if TYPE_CHECKING:
    from model.foreign.recording.functions import Listener

_TELLING = 8
"""The length of a text that is long enough to show which later positions are hidden."""


_drawn: ContextVar[tuple | None] = ContextVar("drawn", default=None)


@contextmanager
def beginning_alike() -> Iterator[None]:
    """Let each pass begin with the same random numbers of Python, and restore them at the end."""
    drawn = random.getstate()
    token = _drawn.set(drawn)
    try:
        yield
    finally:
        _drawn.reset(token)
        random.setstate(drawn)


def run(model: nn.Module, args: tuple, inputs: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Call a model with copies of its arguments."""
    return run_on(model, *copied((args, dict(inputs))))


def run_on(
    model: nn.Module,
    args: tuple,
    inputs: Mapping[str, Any],
    listener: "Listener | None" = None,
) -> Any:  # noqa: ANN401
    """Call a model with these very arguments, and let a listener receive its tensors."""
    if (drawn := _drawn.get()) is not None:
        random.setstate(drawn)
    known = inspect.signature(model.forward).parameters
    if hasattr(model, "config") and "use_cache" in known:
        inputs = {"use_cache": False, **inputs}
    if hasattr(model, "config") and ("return_dict" in known or "kwargs" in known):
        inputs = {"return_dict": True, **inputs}
    heard = listening(listener) if listener else nullcontext()
    with uncompiled, leaving_state(model), heard:
        return model(*args, **inputs)


def copied(given: tuple[tuple, dict[str, Any]]) -> tuple[tuple, dict[str, Any]]:
    """Copy arguments: tensors, containers, and objects that hold tensors, such as a cache.

    An object that occurs twice is copied once, because an attention may ask whether its keys are
    its queries. Modules and functions do not belong to the state of a pass, and are not copied.
    """
    return cast(tuple[tuple, dict[str, Any]], _copied(given, {}))


def _copied(value: Any, made: dict[int, tuple[object, Any]]) -> Any:  # noqa: ANN401
    if id(value) in made:
        return made[id(value)][1]
    if isinstance(value, Tensor):
        new = value if value.is_nested else value.clone()
    elif isinstance(value, nn.Module | type) or callable(value) or _is_plain(value):
        return value
    elif type(value) in (list, tuple, dict):
        new = _container(value, made)
    else:
        return _object(value, made)
    made[id(value)] = value, new
    return new


def _container(value: Any, made: dict[int, tuple[object, Any]]) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _copied(each, made) for key, each in value.items()}
    return type(value)(_copied(each, made) for each in value)


def _object(value: Any, made: dict[int, tuple[object, Any]]) -> Any:  # noqa: ANN401
    """Copy an object and its contents; return the object itself if it cannot be copied."""
    try:
        new = copy.copy(value)
    except Exception:
        return value
    made[id(value)] = value, new
    for name, each in list(getattr(new, "__dict__", {}).items()):
        vars(new)[name] = _copied(each, made)
    if isinstance(new, dict):
        for key, each in list(new.items()):
            dict.__setitem__(new, key, _copied(each, made))
    elif isinstance(new, list):
        new[:] = [_copied(each, made) for each in new]
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        new = type(value)(*(_copied(each, made) for each in value))
        made[id(value)] = value, new
    return new


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | bytes | int | float | complex | torch.dtype)


def lengthened(args: tuple, inputs: Mapping[str, Any]) -> tuple[tuple, dict[str, Any]] | None:
    """Return a call with longer texts instead of texts of one token; None without such a text.

    The token is repeated, because Loupe does not know which other tokens it could add.
    """
    given = [*enumerate(args), *inputs.items()]
    short = [name for name, x in given if isinstance(x, Tensor) and _is_one_token(name, x)]
    if not short:
        return None
    longer = {name: _longer(name, x) if name in short else x for name, x in given}
    return (
        tuple(longer[i] for i in range(len(args))),
        {name: longer[name] for name in inputs},
    )


def _is_one_token(name: str | int, x: Tensor) -> bool:
    if x.dim() != 2 or x.size(1) != 1:
        return x.dim() == 3 and x.size(1) == 1 and str(name).endswith("inputs_embeds")
    return not x.is_floating_point() or str(name).endswith("mask")


def _longer(name: str | int, x: Tensor) -> Tensor:
    many = x.repeat_interleave(_TELLING, dim=1)
    if "position" in str(name):
        many = many + torch.arange(_TELLING, device=x.device)
    return many
