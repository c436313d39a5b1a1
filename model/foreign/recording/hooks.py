"""Hooks that store nothing: they look up the listener of their own context, and report to it.

A hook that stores values on its module would mix up the threads that share a model (decision 001).
These hooks read a context variable instead, of which each thread has its own. Without a listener
they do nothing (decision 026).
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from model.foreign.recording.paths import Paths

if TYPE_CHECKING:
    from model.foreign.recording.functions import Listener

_registering = Lock()
"""torch numbers hooks by counting up, so two threads at once could get the same number."""
_listener: ContextVar["Listener | None"] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: "Listener") -> Iterator[None]:
    """Let a listener receive what this context, and no other, sends through its model."""
    token = _listener.set(listener)
    try:
        with listener if listener.follows_functions else nullcontext():
            yield
    finally:
        _listener.reset(token)


def current_listener() -> "Listener | None":
    """Return the listener of this context."""
    return _listener.get()


@contextmanager
def hooked(paths: Paths, wanted: Collection[str] | None = None) -> Iterator[None]:
    """Let the modules of a model, or only the wanted ones, report their inputs and outputs."""
    handles: list[RemovableHandle] = []
    try:
        with _registering:
            for module, path in paths.items():
                if wanted is not None and path not in wanted:
                    continue
                before = module.register_forward_pre_hook(_entering(paths, path), with_kwargs=True)
                handles += before, module.register_forward_hook(_leaving(paths, path))
        yield
    finally:
        for handle in handles:
            handle.remove()


def is_own(hook: Callable[..., Any]) -> bool:
    """Return whether a hook is one of Loupe's."""
    return getattr(hook, "__module__", None) == __name__


def _entering(paths: Paths, path: str) -> Callable[..., Any]:
    # torch marks a hook as taking `kwargs` only after it has added the hook; a thread that runs in
    # between calls it without them.
    def hook(_: nn.Module, args: tuple, kwargs: dict | None = None) -> Any:  # noqa: ANN401
        listener = _listener.get()
        if listener is None or listener.paths is not paths:
            return None
        given = kwargs or {}
        place = _first_tensor(args, given)
        if place is None:
            listener.apart(listener.enters, path, None)
            return None
        x = args[place] if isinstance(place, int) else given[place]
        new = listener.apart(listener.enters, path, x)
        if new is x:
            return None
        if isinstance(place, int):
            return (*args[:place], new, *args[place + 1 :]), given
        return args, {**given, place: new}

    return hook


def _leaving(paths: Paths, path: str) -> Callable[..., Any]:
    def hook(_: nn.Module, __: tuple, output: Any) -> Any:  # noqa: ANN401
        listener = _listener.get()
        if listener is None or listener.paths is not paths:
            return None
        x = output[0] if type(output) in (tuple, list) and output else output
        if not isinstance(x, Tensor):
            listener.apart(listener.leaves, path, None)
            return None
        new = listener.apart(listener.leaves, path, x)
        if new is x:
            return None
        return new if x is output else type(output)((new, *output[1:]))

    return hook


def _first_tensor(args: tuple, kwargs: Mapping[str, Any]) -> int | str | None:
    for i, value in enumerate(args):
        if isinstance(value, Tensor):
            return i
    for name in ("hidden_states", *kwargs):
        if isinstance(kwargs.get(name), Tensor):
            return name
    return None
