"""The process's side: it answers one request, and ends when whoever asked is gone."""

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
"""Is given the request, a way to tell what happens, and an event that asks it to stop."""

_NICENESS = 10
"""Of the process: the pages come first."""


def serve(work: Work, *, grace: float = 0.0) -> None:
    """Do the work that is asked for on the input; tell its result, or why there is none.

    The end of the input is the wish to stop, and comes by itself when the server dies. The work
    then has `grace` seconds to put away what it has. What it needs at length it imports itself:
    the input is watched from before.
    """
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this one
    output = os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)  # so that no library writes among the messages
    request = read(sys.stdin.buffer)
    if request is None:
        return
    asked = threading.Event()
    threading.Thread(target=_wait_for_end, args=(asked, grace), daemon=True).start()

    def tell(message: Message) -> None:
        try:
            _write(output, to_line(message))
        except BrokenPipeError:  # nobody reads any more
            asked.set()

    answer: Message
    try:
        answer = {"done": work(request, tell, asked)}
    except Exception as error:  # a page says what it was, of whatever kind
        answer = {"failed": str(error) or type(error).__name__}
        if isinstance(error, OSError):
            answer["errno"] = error.errno
    tell(answer)
    os._exit(0)  # the page waits for the end, and there is nothing to tidy


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
