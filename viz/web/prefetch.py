"""Starts the run of a link while the browser still loads the page, which takes about as long."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Semaphore

from starlette.requests import Request

from viz.frame.link_inputs import inputs_of_link
from viz.models import own_checkpoints, running

_WINDOW = "document"
"""Fetch destination of a window, not of something inside another page."""
_AHEAD = "prefetch"
"""Purpose of a request that a browser makes in advance, before anyone wants the page."""

_thread = ThreadPoolExecutor(1, thread_name_prefix="early")
_idle = Semaphore()
_begun = deque[Future[None]](maxlen=1)


def begin_run(request: Request) -> None:
    """Compute the run that the page at an address needs, unless another one is being computed.

    An error is ignored here, because it occurs again in the page, which reports it.
    """
    is_window = request.headers.get("sec-fetch-dest", _WINDOW) == _WINDOW
    is_meant = _AHEAD not in request.headers.get("sec-purpose", "")
    if is_window and is_meant and request.method == "GET" and _idle.acquire(blocking=False):
        link = f"?{request.url.query}"
        begun = _thread.submit(open_link, link)
        begun.add_done_callback(lambda _done: _idle.release())
        _begun.append(begun)


def finish(timeout: float | None = None) -> None:
    """Wait for the started run, at most `timeout` seconds. Raises the run's error, once."""
    _thread.submit(_end).result(timeout)


def _end() -> None:
    while _begun:
        _begun.pop().result()


def open_link(link: str) -> None:
    """Compute the run of a link to one of Loupe's models; third-party ones wait for the page."""
    if inputs := inputs_of_link(link, own_checkpoints.checkpoint_names()):
        running.open_view(inputs)
