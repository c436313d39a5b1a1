"""Streamlit's shell: the one document at the address of every page."""

from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from texts import LANGUAGES, Language, accepted, say, speaking
from viz.address.language import LANGUAGE
from viz.address.selection import FIELDS
from viz.pages import FIRST, PAGES
from viz.pictures.served import base_path
from viz.web.prefetch import begin_run

STATIC = Path(st.__file__).parent / "static"
SHELL = (STATIC / "index.html").read_text(encoding="utf-8")
"""Streamlit's own answer at the root."""
WAITING = (Path(__file__).parent / "waiting.html").read_text(encoding="utf-8")
"""The words shown while the page loads."""
_BASE = "<script>window.__streamlit = {{ BACKEND_BASE_URL: location.origin + '{base}' }}</script>"
"""Tells the browser the server's path, because it would look for it below the page's path."""
_ONCE_FIRST = "attention"
"""The page that used to be at the root; old links to the root mean it."""
_OF_OLD = {*FIELDS, "shows", "lines", "gold", "order", "checkpoint", "source", "target", "device"}
_OF_OLD |= {"presenter", "below"}
"""Parameters of old links, each of which has at least one."""
_HEADERS = {"Cache-Control": "no-cache", "Vary": "Accept-Language"}
_OWN = "scene"
"""A parameter of every link to the first page, unless the link has no parameters."""


def page_shell(spoken: Language) -> str:
    """Return the shell of a page, with the server's path and the words shown while it loads."""
    with speaking(spoken):
        waiting = WAITING.replace("LOADING", say("web.loading")).replace(
            "READING", say("web.reading")
        )
    shell = SHELL.replace("<head>", f"<head>{_BASE.format(base=base_path())}", 1)
    shell = shell.replace('<html lang="en"', f'<html lang="{spoken}"', 1)
    return shell.replace("</body>", f"{waiting}</body>", 1)


def read_language(request: Request) -> Language:
    """Return the language that a link asks for, else the one that the browser prefers."""
    asked = request.query_params.get(LANGUAGE)
    return accepted(asked if asked in LANGUAGES else request.headers.get("accept-language"))


def page_routes() -> list[Route]:
    """Return the routes of the pages; the first page is at the root."""
    shells, base = {one: page_shell(one) for one in LANGUAGES}, base_path()

    async def open_root(request: Request) -> Response:
        query = request.url.query
        if _names(query) & _OF_OLD and _OWN not in _names(query):
            return RedirectResponse(f"{base}/{_ONCE_FIRST}?{query}")
        begin_run(request)
        return HTMLResponse(shells[read_language(request)], headers=_HEADERS)

    async def open_page(request: Request) -> Response:
        if request.url.path == f"{base}/{FIRST.URL}":
            query = request.url.query
            if query and _OWN not in _names(query):
                query = f"{query}&{_OWN}="
            return RedirectResponse(f"{base}/?{query}" if query else f"{base}/")
        begin_run(request)
        return HTMLResponse(shells[read_language(request)], headers=_HEADERS)

    pages = [Route(f"{base}/{page.URL}", open_page) for page in PAGES]
    roots = [Route(f"{base}/", open_root), *([Route(base, open_root)] if base else [])]
    return [*roots, *pages]


def _names(query: str) -> set[str]:
    return {name for name, _ in parse_qsl(query, keep_blank_values=True)}
