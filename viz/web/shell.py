"""Streamlit's shell, the one document behind the address of every page."""

from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from viz.pages import FIRST, PAGES
from viz.pictures.served import base_path

STATIC = Path(st.__file__).parent / "static"
SHELL = (STATIC / "index.html").read_text(encoding="utf-8")
"""What Streamlit itself answers with at the root."""
_BASE = "<script>window.__streamlit = {{ BACKEND_BASE_URL: location.origin + '{base}' }}</script>"
"""Tells the browser where the server is: below the path of a page it would look for it in vain."""


def page_shell() -> str:
    """Give the shell of a page that has a path of its own."""
    return SHELL.replace("<head>", f"<head>{_BASE.format(base=base_path())}", 1)


def page_routes() -> list[Route]:
    """Serve the links to the pages; the first page lives at the root."""
    shell = page_shell()

    async def open_page(request: Request) -> Response:
        if request.url.path == f"{base_path()}/{FIRST.URL}":
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"{base_path()}/{query}")
        return HTMLResponse(shell)

    return [Route(f"{base_path()}/{page.URL}", open_page) for page in PAGES]
