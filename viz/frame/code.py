"""A text as a QR code, drawn here: a hall of people opens the view in front of them."""

import segno

from model.text.normalised import printable
from viz.frame.wire import WireCode

MOST_BYTES = 1_200
"""Of the text. A code of more has modules that a camera cannot tell apart from the last row."""


def draw_code(text: str) -> WireCode:
    """Draw a text as a QR code of model 2 (ISO/IEC 18004), error correction L at least.

    A lone surrogate is drawn as U+FFFD. A text of more than MOST_BYTES gets no
    picture: its size is 0.
    """
    text = printable(text)
    if len(text.encode()) > MOST_BYTES:
        return {"text": text, "size": 0, "path": "", "most": MOST_BYTES}
    code = segno.make(text, micro=False, error="l", encoding="utf-8")
    rows = [bytes(row) for row in code.matrix]
    return {"text": text, "size": len(rows), "path": _path(rows), "most": MOST_BYTES}


def _path(rows: list[bytes]) -> str:
    """Write each stretch of dark modules as one rectangle, a module high."""
    parts: list[str] = []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            end = x
            while end < len(row) and row[end]:
                end += 1
            if end > x:
                parts.append(f"M{x} {y}h{end - x}v1h-{end - x}z")
            x = end + 1
    return "".join(parts)
