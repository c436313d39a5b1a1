"""The process's side of a job: it answers one request, and ends when the page's side is gone."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from viz.work.messages import Message, read, to_line

Tell = Callable[[Message], None]
Work = Callable[[Message, Tell, threading.Event], Any]
"""Takes the request, a function that sends messages, and an event that asks it to stop."""

_NICENESS = 10
"""Niceness of the process, so that pages come first."""


def serve(work: Work, *, grace: float = 0.0) -> None:
    """Do the work requested on the input; send its result, or the reason why there is none.

    The end of the input means stop, and also occurs if the server dies. The work then has `grace`
    seconds to save its results. It must import slow modules itself, so that the input is watched
    from the beginning.
    """
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C, and ends this one
    output = os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)  # no library may write among the messages
    request = read(sys.stdin.buffer)
    if request is None:
        return
    asked = threading.Event()
    threading.Thread(target=_wait_for_end, args=(asked, grace), daemon=True).start()

    def tell(message: Message) -> None:
        try:
            _write(output, to_line(message))
        except BrokenPipeError:  # the page no longer reads
            asked.set()

    answer: Message
    try:
        answer = {"done": work(request, tell, asked)}
    except Exception as error:  # the page reports any error
        answer = {"failed": str(error) or type(error).__name__}
        if isinstance(error, OSError):
            answer["errno"] = error.errno
    tell(answer)
    os._exit(0)  # the page waits for the end, and nothing needs cleaning up


def _wait_for_end(asked: threading.Event, grace: float) -> None:
    while sys.stdin.buffer.read(1 << 16):
        continue
    asked.set()
    time.sleep(grace)
    os._exit(1)


def _write(output: BinaryIO, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[output.write(left) :]
