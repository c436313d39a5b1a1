"""Run a notebook of docs/ and write its outputs into it.

python -m qa.notebook docs/pronouns.ipynb

The cells run in a kernel of this Python, in an empty folder. Nothing of this machine is kept in the
file: no paths, no times, and no numbers of messages.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client import KernelManager

ROOT = Path(__file__).parents[1]
PATIENCE, LATE = 300, 0.3
"""Seconds: for an answer, and for messages after the last one."""


class CellError(RuntimeError):
    """A cell that raised an error, or that the kernel did not answer."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Run a notebook and keep its outputs.")
    parser.add_argument("notebook", nargs="+", type=Path)
    for path in parser.parse_args().notebook:
        notebook = json.loads(path.read_text("utf-8"))
        fill(notebook)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(f"{path.stat().st_size:>8} {path}")


def fill(notebook: dict[str, Any]) -> None:
    """Run the cells of a notebook, and replace their outputs."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = {"PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder, running_kernel(Path(folder), found) as answer:
        for number, cell in enumerate(cells, 1):
            outputs = answer("".join(cell["source"]))
            cell["execution_count"] = number
            cell["outputs"] = [_numbered(one, number) for one in outputs]


def _numbered(output: dict[str, Any], number: int) -> dict[str, Any]:
    is_result = output["output_type"] == "execute_result"
    return output | {"execution_count": number} if is_result else output


@contextmanager
def running_kernel(
    folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Callable[[str], list[dict[str, Any]]]]:
    """Start a kernel in a folder; yield a function that runs a cell and returns its outputs."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder), env=os.environ | dict(environment or {}))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=PATIENCE)
        yield lambda cell: _run(client, cell)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _run(client: Any, cell: str) -> list[dict[str, Any]]:
    asked = client.execute(cell)
    outputs: list[dict[str, Any]] = []
    is_idle = False  # a print may still arrive then
    while True:
        try:
            message = client.get_iopub_msg(timeout=LATE if is_idle else PATIENCE)
        except Empty:
            if is_idle:
                return outputs
            raise CellError(f"the kernel did not answer: {cell}") from None
        if message["parent_header"].get("msg_id") != asked:
            continue
        kind, content = message["msg_type"], message["content"]
        if kind == "error":
            raise CellError("\n".join(content["traceback"]))
        if kind == "status" and content["execution_state"] == "idle":
            is_idle = True
        add_output(outputs, kind, content)


def add_output(outputs: list[dict[str, Any]], kind: str, content: dict[str, Any]) -> None:
    """Add the output of a message from the kernel, if any, in the format of notebooks."""
    if kind == "stream":
        last = outputs[-1] if outputs else {}
        if last.get("name") == content["name"]:
            last["text"] += content["text"].splitlines(keepends=True)
        else:
            text = content["text"].splitlines(keepends=True)
            outputs.append({"output_type": kind, "name": content["name"], "text": text})
    elif kind in ("execute_result", "display_data"):
        data = {
            name: value.splitlines(keepends=True) if isinstance(value, str) else value
            for name, value in content["data"].items()
        }
        outputs.append({"output_type": kind, "data": data, "metadata": {}})


if __name__ == "__main__":
    main()
