"""What the server answers with besides Streamlit, and the guard that stands before all."""

from collections.abc import Sequence

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from viz.web.files import Files
from viz.web.guard import Guard
from viz.web.kept_files import kept_routes
from viz.web.notes import notes_routes
from viz.web.shell import page_routes


def own_routes() -> list[BaseRoute]:
    """Return the routes to the pages, and to what these fetch."""
    return [*page_routes(), *notes_routes(), *kept_routes()]


def guarded(routes: Sequence[BaseRoute]) -> list[Middleware]:
    """Let nothing be asked for but these routes, the files and what Streamlit needs."""
    return [Middleware(Guard, own=routes), Middleware(Files)]
