"""Writes the weights of any model for the browser: in 8 or 16 bits, in parts, piece by piece."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypedDict

import torch
from torch import Tensor

from model.checkpoints.weights import (
    SCALE,
    check_finite,
    fits_8_bits,
    row_scales,
    stored_tensors,
    whole_numbers,
)
from model.files.durable import write_whole
from model.transformer import Transformer

Bits = Literal[8, 16]
PART_BYTES = 8_000_000
"""The most bytes of a part: small enough to be fetched again, and for static hosts to serve."""
MOST_BYTES = 600_000_000
"""The most bytes of a model's weights. The browser holds the weights and arriving parts in one
memory, of which phones give a page about 1 GB. Hosts of plain files, such as GitHub Pages, accept 1
GB for a whole site."""

_PIECE = 1_000_000
"""Numbers converted at a time."""
_LARGEST_HALF = 65504
_DTYPES = {torch.int8: "I8", torch.float16: "F16"}


class Part(TypedDict):
    """One of the files whose concatenation is a safetensors file."""

    bytes: int
    sha256: str


class BrowserModelError(ValueError):
    """A model that the browser cannot run."""

    def __init__(self, message: str, reason: str = "numbers") -> None:
        """Take the message, and the reason as a key of the texts `frame.at_enter`."""
        super().__init__(message)
        self.reason = reason


def write_parts(model: Transformer, stem: Path, bits: Bits = 8) -> list[Part]:
    """Write the weights into STEM.0, STEM.1 and so on, and describe each file.

    Raises BrowserModelError if the model is too large or has numbers that the format lacks.
    """
    parts: list[Part] = []
    for data in weight_parts(model, bits):
        write_whole({stem.with_name(f"{stem.name}.{len(parts)}"): data})
        parts.append({"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    return parts


def weight_parts(model: Transformer, bits: Bits = 8) -> Iterator[bytes]:
    """Yield a model's weights as one safetensors file in parts, without a second copy of them.

    Tensors have their names in the model, and tied ones are written once. With 8 bits, matrices of
    100,000 numbers or more are whole numbers with a scale for each row, as in a checkpoint; all
    others, and with 16 bits all tensors, are float16. Raises BrowserModelError as `write_parts`.
    """
    tensors = {name: tensor.detach() for name, tensor in stored_tensors(model).items()}
    short = {name for name, tensor in tensors.items() if bits == 8 and fits_8_bits(tensor)}
    if (size := browser_bytes(model, bits)) > MOST_BYTES:
        raise BrowserModelError(
            f"a model in the browser may have at most {MOST_BYTES / 1e6:,.0f} MB of weights, got "
            f"{size / 1e6:,.0f} MB in {bits} bits. {'' if bits == 8 else 'Write it in 8 bits, or '}"
            f"{'Choose' if bits == 8 else 'choose'} a smaller model; the app itself opens this one",
            "large",
        )
    for name, tensor in tensors.items():
        _check(name, tensor, most=_LARGEST_HALF * (127 if name in short else 1))
    scales = {name: torch.cat([*map(row_scales, _pieces(tensors[name]))]) for name in short}
    return _in_parts(_file(tensors, scales))


def browser_bytes(model: Transformer, bits: Bits = 8) -> int:
    """Return the bytes of a model's weights for the browser, without their header."""
    sizes = (
        tensor.numel() + 2 * len(tensor)
        if bits == 8 and fits_8_bits(tensor)
        else 2 * tensor.numel()
        for tensor in stored_tensors(model).values()
    )
    return sum(sizes)


def _check(name: str, tensor: Tensor, *, most: int) -> None:
    try:
        check_finite({name: tensor})
    except ValueError as error:
        raise BrowserModelError(str(error)) from error
    if (largest := max(0.0, *(abs(float(end)) for end in tensor.aminmax()))) > most:
        raise BrowserModelError(
            f"weights for the browser may be {most:,} at most, got {largest:,.0f} in {name}. "
            "Open the model in the app, which computes in its own precision"
        )


def _file(tensors: Mapping[str, Tensor], scales: Mapping[str, Tensor]) -> Iterator[bytes]:
    """Yield the header and the tensors; those of two bytes come first, at even offsets."""
    halves = {name: tensor for name, tensor in tensors.items() if name not in scales}
    halves |= {name + SCALE: scale for name, scale in scales.items()}
    shapes = [(name, torch.float16, tensor.shape) for name, tensor in halves.items()]
    shapes += [(name, torch.int8, tensors[name].shape) for name in tensors if name in scales]
    header, at = {}, 0
    for name, dtype, shape in shapes:
        size = math.prod(shape) * dtype.itemsize
        offsets = [at, at + size]
        header[name] = {"dtype": _DTYPES[dtype], "shape": [*shape], "data_offsets": offsets}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for tensor in halves.values():
        for piece in _pieces(tensor):
            yield _bytes(piece.half())
    for name, tensor in tensors.items():
        if name in scales:
            pieces = _pieces(tensor)
            rows = scales[name].split(_rows_of(tensor))
            for piece, scale in zip(pieces, rows, strict=True):
                yield _bytes(whole_numbers(piece, scale))


def _pieces(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the tensor a few rows at a time, in float32 on the CPU."""
    for piece in tensor.split(_rows_of(tensor)):
        yield piece.to("cpu", torch.float32)


def _rows_of(tensor: Tensor) -> int:
    return max(1, _PIECE // max(1, math.prod(tensor.shape[1:])))


def _bytes(tensor: Tensor) -> bytes:
    return tensor.contiguous().numpy().tobytes()


def _in_parts(pieces: Iterator[bytes]) -> Iterator[bytes]:
    kept = bytearray()
    for piece in pieces:
        kept += piece
        while len(kept) >= PART_BYTES:
            with memoryview(kept) as gathered:
                part = bytes(gathered[:PART_BYTES])
            yield part
            del kept[:PART_BYTES]
    if kept:
        yield bytes(kept)
