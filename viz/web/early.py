"""Begins what a link shows while its browser still fetches the page: a long run takes as long."""

from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore

from starlette.requests import Request

from viz.frame.linked import inputs_of_link
from viz.run import session

_WINDOW = "document"
"""Of the places that a browser asks for: the window, not something inside another page."""

_thread = ThreadPoolExecutor(1, thread_name_prefix="early")
_idle = Semaphore()


def begin_run(request: Request) -> None:
    """Compute what the page at an address will ask for, unless another is being computed.

    What fails here fails again where the page asks, which says why.
    """
    is_window = request.headers.get("sec-fetch-dest", _WINDOW) == _WINDOW
    if is_window and request.method == "GET" and _idle.acquire(blocking=False):
        link = f"?{request.url.query}"
        _thread.submit(open_link, link).add_done_callback(lambda _done: _idle.release())


def open_link(link: str) -> None:
    """Compute the run of a link to a model of our own: those of others wait for their reader."""
    if inputs := inputs_of_link(link, session.checkpoint_names()):
        session.open_view(inputs)
