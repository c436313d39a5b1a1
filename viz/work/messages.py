"""Messages between a page and its process: one line of JSON each, which may contain arrays."""

import base64
import io
import json
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

Message = dict[str, Any]
_ARRAY = "npy"


def to_line(message: Mapping[str, Any]) -> bytes:
    """Write a message as one line; an array as the bytes of an .npy file."""
    return json.dumps(message, default=_pack_array).encode() + b"\n"


def from_line(line: bytes) -> Message:
    """Read a line of `to_line`. Raises ValueError on any other line."""
    message = json.loads(line, object_hook=_unpack_array)
    if not isinstance(message, dict):
        raise ValueError(  # noqa: TRY004 - the message is wrong, not the call
            f"a message is a JSON object, got {type(message).__name__}"
        )
    return message


def read(stream: IO[bytes]) -> Message | None:
    """Wait for the next message; None at the end of the stream. Raises ValueError."""
    line = stream.readline()
    return from_line(line) if line else None


def _pack_array(value: object) -> dict[str, str]:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"a message holds plain values and arrays, got {type(value).__name__}")
    packed = io.BytesIO()
    np.save(packed, value, allow_pickle=False)
    return {_ARRAY: base64.b64encode(packed.getvalue()).decode()}


def _unpack_array(values: Message) -> Any:  # noqa: ANN401 - any JSON value
    if values.keys() != {_ARRAY}:
        return values
    return np.load(io.BytesIO(base64.b64decode(values[_ARRAY])), allow_pickle=False)
