"""A Jupyter kernel for the tests: it runs cells as a notebook does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from qa import notebook


@contextmanager
def running_kernel(folder: Path) -> Iterator[Callable[[str], dict]]:
    """Start a kernel in a folder; yield a function that runs a cell.

    The function returns `data`, the result by media type, and `text`, everything printed.
    """
    with notebook.running_kernel(folder) as answer:
        yield lambda cell: _answer(answer, cell)


def _answer(answer: Callable[[str], list[dict]], cell: str) -> dict:
    try:
        outputs = answer(cell)
    except notebook.CellError as error:
        pytest.fail(str(error))
    found: dict = {"data": {}, "text": ""}
    for output in outputs:
        if output["output_type"] == "stream":
            found["text"] += "".join(output["text"])
        if output["output_type"] == "execute_result":
            found["data"] = {
                name: "".join(value) if isinstance(value, list) else value
                for name, value in output["data"].items()
            }
    return found
