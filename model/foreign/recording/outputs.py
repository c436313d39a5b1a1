"""The output of a model, as tensors by name."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from torch import Tensor


def named_outputs(output: object) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors of an output under the model's own names, such as `pooler_output`.

    An output without names is `output`; several are `output.0` and so on.
    """
    if isinstance(output, Mapping) or is_dataclass(output):
        yield from _inside(output, "")
    else:
        yield from _inside(output, "output")


def _inside(value: object, name: str) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _inside(each, f"{name}.{key}" if name else str(key))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            own = f"{name}.{field.name}" if name else field.name
            yield from _inside(getattr(value, field.name), own)
    elif isinstance(value, list | tuple):
        for i, each in enumerate(value):
            yield from _inside(each, f"{name}.{i}")
