"""Measures how many bytes of memory a value holds, including its tensors and arrays."""

import gc
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

_PROGRAM = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, torch.device)
"""Parts of the program, which exist without the value and so do not count."""


def size_of(value: object) -> int:
    """Count the bytes of a value and of everything that it refers to; shared parts count once.

    A model and its description count only where they are loaded. Results that refer to them do not
    count them, because they would stay in memory without these results.
    """
    kept_apart = _PROGRAM
    if not _is_loaded(value):
        kept_apart += (*_described(), nn.Module)
    sizes: dict[object, int] = {}
    seen = set[int]()
    waiting: list[Any] = [value]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, kept_apart):
            continue
        seen.add(id(part))
        memory, size = _memory(part)
        sizes[memory] = size
        waiting.extend(gc.get_referents(part))
        if isinstance(part, np.ndarray) and part.base is not None:
            waiting.append(part.base)
    return sum(sizes.values())


def _is_loaded(value: object) -> bool:
    """Return whether a value is a model, a part of one, or a checkpoint: a model and its info."""
    held = getattr(value, "info", None), getattr(value, "model", None)
    return isinstance(value, (*_described(), nn.Module)) or (
        isinstance(held[0], _described()) and isinstance(held[1], nn.Module)
    )


def _described() -> tuple[type, ...]:
    """Return the classes that describe a checkpoint's model."""
    infos = _classes("model.checkpoints.metadata", "CheckpointInfo")
    return (*infos, *_classes("model.text.tokenizer", "Tokenizers"))


def _memory(part: Any) -> tuple[object, int]:  # noqa: ANN401 - anything has a size
    """Return an identifier of the memory that a part occupies itself, and its size in bytes."""
    match part:
        case Tensor():
            storage = part.untyped_storage()
            return ("storage", storage.data_ptr()), storage.nbytes()
        case np.ndarray():
            return id(part), part.nbytes if part.base is None else 0
        case _ if isinstance(part, _classes("pyarrow", "Table", "Array", "ChunkedArray")):
            return id(part), part.get_total_buffer_size()
        case _ if isinstance(part, _classes("pandas", "DataFrame", "Series", "Index")):
            return id(part), 0  # the size that they report is that of their arrays
        case _:
            return id(part), sys.getsizeof(part, 0)


def _classes(module_name: str, *names: str) -> tuple[type, ...]:
    """Return classes of a module; none if the module was not imported."""
    module = sys.modules.get(module_name)
    return tuple(getattr(module, name) for name in names) if module else ()
