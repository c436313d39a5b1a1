"""Begins what a link shows while its browser still fetches the page: a long run takes as long."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Semaphore

from starlette.requests import Request

from viz.frame.link_inputs import inputs_of_link
from viz.models import own_checkpoints, running

_WINDOW = "document"
"""Of the places that a browser asks for: the window, not something inside another page."""
_AHEAD = "prefetch"
"""What a page may have its browser ask for before anybody wants it."""

_thread = ThreadPoolExecutor(1, thread_name_prefix="early")
_idle = Semaphore()
_begun = deque[Future[None]](maxlen=1)


def begin_run(request: Request) -> None:
    """Compute what the page at an address will ask for, unless another is being computed.

    What fails here fails again where the page asks, which says why.
    """
    is_window = request.headers.get("sec-fetch-dest", _WINDOW) == _WINDOW
    is_meant = _AHEAD not in request.headers.get("sec-purpose", "")
    if is_window and is_meant and request.method == "GET" and _idle.acquire(blocking=False):
        link = f"?{request.url.query}"
        begun = _thread.submit(open_link, link)
        begun.add_done_callback(lambda _done: _idle.release())
        _begun.append(begun)


def finish(timeout: float | None = None) -> None:
    """Wait until what was begun is done, so many seconds at most. Raises what it raised, once."""
    _thread.submit(_end).result(timeout)


def _end() -> None:
    while _begun:
        _begun.pop().result()


def open_link(link: str) -> None:
    """Compute the run of a link to a model of our own: those of others wait for their reader."""
    if inputs := inputs_of_link(link, own_checkpoints.checkpoint_names()):
        running.open_view(inputs)
