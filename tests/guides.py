"""Read the blocks of a guide: its Python, and the output that it shows below."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+\.\d+(?:e[-+]?\d+)?")


class Block(NamedTuple):
    """The Python code of one block."""

    code: str
    shown: str | None
    """The output in the next block; empty if that block is Python again."""


def blocks_of(guide: str) -> list[Block]:
    """List the Python blocks of a guide with their outputs."""
    found = FENCE.findall(guide)
    after = [*found[1:], ("python", "")]
    return [
        Block(code, None if following[0] == "python" else following[1])
        for (kind, code), following in zip(found, after, strict=True)
        if kind == "python"
    ]


def run_block(code: str, names: dict[str, Any], where: Path | str) -> str:
    """Run a block in the guide's namespace and return what it prints."""
    said = StringIO()
    with redirect_stdout(said):
        exec(compile(code, str(where), "exec"), names)
    return said.getvalue()


def differences(said: str, shown: str) -> list[tuple[str, str]]:
    """List the lines in which a number differs by more than one unit in its last digit.

    Processors may round a number differently if it lies between two last digits.
    """
    pairs = zip(said.splitlines(), shown.splitlines(), strict=False)
    found = [(a, b) for a, b in pairs if not _is_same(a, b)]
    if len(said.splitlines()) != len(shown.splitlines()):
        found.append((said, shown))
    return found


def _is_same(a: str, b: str) -> bool:
    if _words(a) != _words(b):
        return False
    numbers = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(abs(float(x) - float(y)) <= 1.01 * _unit(x) for x, y in numbers)


def _words(line: str) -> str:
    """Return a line without its numbers and without the spaces that align them."""
    return " ".join(NUMBER.sub("#", line).split())


def _unit(number: str) -> float:
    digits, _, power = number.partition("e")
    return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
