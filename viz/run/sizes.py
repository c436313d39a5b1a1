"""How many bytes of memory a value holds, its tensors and arrays included."""

import gc
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from model.checkpoints.metadata import CheckpointInfo
from model.text.tokenizer import Tokenizers

_PROGRAM = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, torch.device)
"""What is there in any case: a value that leads to it does not hold it."""
_OF_A_CHECKPOINT = (CheckpointInfo, Tokenizers, nn.Module)


def size_of(value: object) -> int:
    """Count the bytes of a value and of all that it leads to; what is shared counts once.

    A model, and all about it, counts where it is loaded: what was computed with it leads to it as
    well, but it would stay without that.
    """
    kept_apart = _PROGRAM
    if not _is_loaded(value):
        kept_apart += _OF_A_CHECKPOINT
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
    return isinstance(value, _OF_A_CHECKPOINT) or (
        isinstance(held[0], CheckpointInfo) and isinstance(held[1], nn.Module)
    )


def _memory(part: Any) -> tuple[object, int]:  # noqa: ANN401 - anything has a size
    """Name the memory that a part itself stands in, and give its size in bytes."""
    match part:
        case Tensor():
            storage = part.untyped_storage()
            return ("storage", storage.data_ptr()), storage.nbytes()
        case np.ndarray():
            return id(part), part.nbytes if part.base is None else 0
        case _ if isinstance(part, _classes("pyarrow", "Table", "Array", "ChunkedArray")):
            return id(part), part.get_total_buffer_size()
        case _ if isinstance(part, _classes("pandas", "DataFrame", "Series", "Index")):
            return id(part), 0  # what they say of themselves is the size of their arrays
        case _:
            return id(part), sys.getsizeof(part, 0)


def _classes(package: str, *names: str) -> tuple[type, ...]:
    """Return classes of an optional package, or none if nothing has imported it."""
    module = sys.modules.get(package)
    return tuple(getattr(module, name) for name in names) if module else ()
