"""Reads the two files of a checkpoint: settings and words from one, numbers from the other."""

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "U8": "u1",
    "I8": "i1",
}


@dataclass(frozen=True)
class Files:
    """A checkpoint as its files describe it."""

    name: str
    about: dict[str, Any]
    """The whole JSON."""
    tensors: dict[str, Array]
    """The tensors by their names in the file, in float64."""

    @property
    def config(self) -> dict[str, Any]:
        return self.about["config"]


def parse_safetensors(contents: bytes) -> dict[str, Any]:
    """Read a file of tensors: eight bytes of length, a JSON of types, shapes and offsets, numbers.

    bfloat16, which numpy lacks, becomes float32.
    """
    (length,) = struct.unpack("<Q", contents[:8])
    header = json.loads(contents[8 : 8 + length])
    found: dict[str, Any] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = (8 + length + offset for offset in entry["data_offsets"])
        if entry["dtype"] == "BF16":
            wide = np.frombuffer(contents[first:last], "<u2").astype(np.uint32) << 16
            values = wide.view(np.float32)
        elif entry["dtype"] == "BOOL":
            values = np.frombuffer(contents[first:last], np.bool_)
        else:
            values = np.frombuffer(contents[first:last], _TYPES[entry["dtype"]])
        found[name] = values.reshape(entry["shape"])
    return found


def write_safetensors(path: Path, tensors: dict[str, NDArray[np.float32]]) -> None:
    """Write float32 tensors in the same format."""
    header: dict[str, Any] = {}
    end = 0
    for name, values in tensors.items():
        start, end = end, end + values.nbytes
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in tensors.values():
            file.write(np.ascontiguousarray(values, "<f4").tobytes())


def read_files(stem: Path) -> Files:
    about = json.loads(stem.with_name(f"{stem.name}.json").read_text("utf-8"))
    numbers = parse_safetensors(stem.with_name(f"{stem.name}.safetensors").read_bytes())
    tensors = {n: np.asarray(v, np.float64) for n, v in numbers.items()}
    for name in [n for n, v in numbers.items() if v.dtype == np.int8]:  # a scale for each row
        tensors[name] *= tensors.pop(f"{name}.scale")[:, None]
    return Files(stem.name, about, tensors)
