"""A kernel of Jupyter for the tests: it runs cells as a notebook's does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty

import pytest
from jupyter_client import KernelManager

PATIENCE, LATE = 120, 0.3
"""Seconds."""


@contextmanager
def running_kernel(folder: Path) -> Iterator[Callable[[str], dict]]:
    """Start a kernel in a folder; give what runs a cell.

    That gives `data`, the result by kinds of media, and `text`, all that was printed.
    """
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=PATIENCE)
        yield lambda cell: _answer(client, cell)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _answer(client: object, cell: str) -> dict:
    asked = client.execute(cell)
    found: dict = {"data": {}, "text": ""}
    is_idle = False  # what was printed may still come then
    while True:
        try:
            message = client.get_iopub_msg(timeout=LATE if is_idle else PATIENCE)
        except Empty:
            if is_idle:
                return found
            pytest.fail(f"the kernel did not answer to {cell}")
        if message["parent_header"].get("msg_id") != asked:
            continue
        content = message["content"]
        if message["msg_type"] == "error":
            pytest.fail("\n".join(content["traceback"]))
        if message["msg_type"] == "execute_result":
            found["data"] = content["data"]
        if message["msg_type"] == "stream":
            found["text"] += content["text"]
        if message["msg_type"] == "status" and content["execution_state"] == "idle":
            is_idle = True
