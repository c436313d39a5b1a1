"""The one entry, `streamlit run app.py`: the web server, and the script that it serves."""

from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from viz.pages import FIRST, PAGES
from viz.pictures import served

_SHELL = Path(st.__file__).parent / "static" / "index.html"
_BASE = "<script>window.__streamlit = { BACKEND_BASE_URL: location.origin }</script>"
"""Tells the browser where the server is: below the path of a page it would look for it in vain."""


async def open_page(request: Request) -> Response:
    """Answer a link to a page with Streamlit's shell; the first page lives at the root."""
    if request.url.path == f"/{FIRST.URL}":
        return RedirectResponse(request.url.replace(path="/"))
    shell = _SHELL.read_text(encoding="utf-8")
    return HTMLResponse(shell.replace("<head>", f"<head>{_BASE}", 1))


app = st.App(
    "viz/script.py",
    routes=[*(Route(f"/{page.URL}", open_page) for page in PAGES), *served.routes()],
)
