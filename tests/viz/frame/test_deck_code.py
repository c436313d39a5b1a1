"""QR codes, read with the tables of ISO/IEC 18004 and not with the library that drew them."""

import re

import numpy as np
import pytest

from viz.frame.deck import MOST_BYTES, draw_code

MASKS = (
    lambda r, c: (r + c) % 2 == 0,
    lambda r, _: r % 2 == 0,
    lambda _, c: c % 3 == 0,
    lambda r, c: (r + c) % 3 == 0,
    lambda r, c: (r // 2 + c // 3) % 2 == 0,
    lambda r, c: r * c % 2 + r * c % 3 == 0,
    lambda r, c: (r * c % 2 + r * c % 3) % 2 == 0,
    lambda r, c: ((r + c) % 2 + r * c % 3) % 2 == 0,
)


def modules(size: int, path: str) -> np.ndarray:
    """Fill the rectangles of the path."""
    drawn = np.zeros((size, size), dtype=bool)
    pattern = r"M(\d+) (\d+)h(\d+)v1h-(\d+)z"
    assert re.sub(pattern, "", path) == ""
    for x, y, wide, back in re.findall(pattern, path):
        assert wide == back
        drawn[int(y), int(x) : int(x) + int(wide)] = True
    return drawn


def read_small(drawn: np.ndarray) -> str:
    """Read the bytes of a code of version 1 or 2, whose codewords form one block."""
    size = len(drawn)
    own = np.zeros_like(drawn)
    own[:9, :9] = own[:9, -8:] = own[-8:, :9] = True
    own[6] = own[:, 6] = True
    if size == 25:
        own[16:21, 16:21] = True
    read = [drawn[8, c] for c in (0, 1, 2, 3, 4)]
    bits = int("".join(str(int(bit)) for bit in read), 2) ^ 0b10101
    mask = MASKS[bits & 0b111]
    stream: list[int] = []
    upwards = True
    for right in range(size - 1, 0, -2):
        column = right if right > 6 else right - 1
        rows = range(size - 1, -1, -1) if upwards else range(size)
        for row in rows:
            free = [c for c in (column, column - 1) if not own[row, c]]
            stream += [int(drawn[row, c]) ^ int(mask(row, c)) for c in free]
        upwards = not upwards
    text = "".join(map(str, stream))
    assert text[:4] == "0100", "bytes"
    count = int(text[4:12], 2)
    return bytes(int(text[12 + 8 * i : 20 + 8 * i], 2) for i in range(count)).decode()


@pytest.mark.parametrize("text", ["http://10.0.0.7/a", "http://10.0.0.7:8501/?a=b", "été"])
def test_a_code_holds_the_address(text: str):
    code = draw_code(text)
    assert code["size"] in (21, 25)
    assert read_small(modules(code["size"], code["path"])) == text


def test_what_a_hall_could_not_read_is_not_drawn():
    assert draw_code("a" * MOST_BYTES)["size"] > 0
    assert draw_code("a" * (MOST_BYTES + 1)) | {"text": ""} == {
        "text": "",
        "size": 0,
        "path": "",
        "most": MOST_BYTES,
    }
    assert draw_code("é" * MOST_BYTES)["size"] == 0


def test_a_lone_surrogate_has_a_code_too():
    assert draw_code("a\ud800") == draw_code("a\ufffd")
