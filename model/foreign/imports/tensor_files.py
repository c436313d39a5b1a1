"""Reads safetensors files: first the headers, then one tensor at a time.

A tensor is read into memory, so that changing or truncating the file later can neither change a
model in use nor crash the program. If there is no room, it is mapped from the file.
The format: https://github.com/huggingface/safetensors#format.
"""

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedReader
from mmap import ACCESS_COPY, ALLOCATIONGRANULARITY, mmap
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor

from model.files.durable import open_file
from model.files.json_fields import shorten
from model.files.plain_json import read_object

MOST_HEADER = 1 << 23
"""The largest size of a header in bytes: a tensor takes about 150, in at most 64 layers."""
LONGEST_NAME = 200
_LENGTH = struct.Struct("<Q")

FLOATS = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
_BYTES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 1),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("I32", "U32", "F32"), 4),
    **dict.fromkeys(("I64", "U64", "F64"), 8),
}


@dataclass(frozen=True)
class Stored:
    """One tensor of a file, and its place there."""

    file: Path
    dtype: str
    """The number type, by its name in the format: F32, BF16."""
    shape: tuple[int, ...]
    start: int
    """The offset of its first byte from the beginning of the file."""

    @property
    def n_bytes(self) -> int:
        """The size of its data in the file, in bytes."""
        return math.prod(self.shape) * _BYTES[self.dtype]

    @property
    def numel(self) -> int:
        """The number of its elements."""
        return math.prod(self.shape)

    def read(self, *, mapped: bool = False) -> Shaped[Tensor, "..."]:
        """Read its data, or map it, so that it stays in the file while it is used.

        Raises ValueError if the file ends too early, or if the numbers are not floats.
        """
        if self.dtype not in FLOATS:
            raise ValueError(f"a weight is {self.dtype}; Loupe reads only {', '.join(FLOATS)}")
        if not self.numel:
            return torch.empty(self.shape, dtype=FLOATS[self.dtype])
        with open_file(self.file) as file:
            if self.start + self.n_bytes > file.seek(0, 2):
                raise ValueError(f"{self.file.name} is shorter than its header says; copy it again")
            # Processors need numbers aligned to their size, which a file does not guarantee.
            is_even = self.start % _BYTES[self.dtype] == 0
            data, begin = self._map(file) if mapped and is_even else self._copy(file)
        numbers = torch.frombuffer(data, dtype=FLOATS[self.dtype], count=self.numel, offset=begin)
        return numbers.view(self.shape)

    def _copy(self, file: BufferedReader) -> tuple[bytearray, int]:
        data = bytearray(self.n_bytes)
        file.seek(self.start)
        if file.readinto(data) != len(data):
            raise ValueError(f"{self.file.name} was cut while it was read; copy it again")
        return data, 0

    def _map(self, file: BufferedReader) -> tuple[mmap, int]:
        """Map its part of the file; return the map and the offset in it. The file never changes."""
        begin = self.start % ALLOCATIONGRANULARITY
        start = self.start - begin
        return mmap(file.fileno(), begin + self.n_bytes, access=ACCESS_COPY, offset=start), begin


def read_header(path: Path) -> dict[str, Stored]:
    """List the tensors of a file by name, from its header.

    Raises OSError if it cannot be read, ValueError if it is not a safetensors file.
    """
    with open_file(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        values = _header_values(file, size)
        begin = file.tell()
    values.pop("__metadata__", None)
    return {name: _stored(name, value, path, begin, size) for name, value in values.items()}


def _header_values(file: BufferedReader, size: int) -> dict[str, Any]:
    first = file.read(_LENGTH.size)
    if len(first) < _LENGTH.size:
        raise ValueError(f"it has {size} bytes, too few for a safetensors file; copy it again")
    (length,) = _LENGTH.unpack(first)
    if length > size - _LENGTH.size:
        raise ValueError(
            f"its header should have {length:,} bytes, but the whole file has {size:,}: "
            "it is not a safetensors file, or it is damaged; copy it again"
        )
    if length > MOST_HEADER:
        raise ValueError(f"its header must have at most {MOST_HEADER:,} bytes, got {length:,}")
    return read_object(file.read(length), where="its header")


def _stored(name: str, value: object, path: Path, begin: int, size: int) -> Stored:
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    dtype = given.get("dtype")
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"a tensor name in its header has {len(name):,} characters; Loupe reads at most "
            f"{LONGEST_NAME}"
        )
    if not isinstance(dtype, str) or dtype not in _BYTES:
        raise ValueError(f"its tensor {shorten(name)} has the unknown type {shorten(dtype)}")
    shape, place = _whole(given.get("shape"), most=8), _whole(given.get("data_offsets"), most=2)
    if shape is None or place is None or len(place) != 2:
        raise ValueError(f"its header does not give the place and shape of {shorten(name)}")
    found = Stored(path, dtype, shape, begin + place[0])
    if place[1] - place[0] != found.n_bytes or begin + place[1] > size:
        raise ValueError(
            f"its tensor {shorten(name)} needs {found.n_bytes:,} bytes, but its place in the file "
            "does not have that size: the file was cut or changed; copy it again"
        )
    return found


def _whole(values: object, *, most: int) -> tuple[int, ...] | None:
    if not isinstance(values, list) or len(values) > most:
        return None
    return tuple(values) if all(type(v) is int and 0 <= v < 1 << 48 for v in values) else None
