"""The guard before the server: it checks hosts, origins and paths, and sets the headers.

It also wraps Streamlit's websocket. Streamlit never sees a refused request; it would look up this
machine's address on the internet to judge a foreign page.
"""

import re
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from texts import LANGUAGES, accepted, language, say, speaking
from viz.pictures.served import base_path
from viz.web.files import own_files
from viz.web.hosts import configured_hosts, is_same_origin
from viz.web.policy import KEPT, page_policy, security_headers
from viz.web.shell import SHELL, STATIC, page_shell

UPLOADS = 0
"""Most megabytes of an upload. As long as no page asks for one, uploads are refused."""

_STREAM = "_stcore/stream"
_NEEDED = {"", "_stcore/health", "_stcore/host-config"}
"""Paths that the browser requests from Streamlit, besides files and the websocket."""
_UPLOAD = "_stcore/upload_file/"
_MEDIA = "media/"
"""Prefix of the files behind download buttons."""

_NO_SUCH_PAGE = """<!doctype html>
<html lang="LANGUAGE">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>TITLE - Loupe</title>
    <style>body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 32rem;
      padding: 0 1rem }</style>
  </head>
  <body>
    <h1>TITLE</h1>
    <p>NONE <a href="BASE/">FIRST</a></p>
  </body>
</html>
"""


class Guard:
    """ASGI middleware: refuses requests not for this server, and sets headers on each answer."""

    def __init__(self, app: ASGIApp, own: Sequence[BaseRoute] = (), uploads: int = UPLOADS) -> None:
        """Wrap `app`; `own` are the routes besides Streamlit's."""
        self._app = app
        self._own = own
        self._largest_upload = uploads * 1_000_000
        self._hosts = configured_hosts()
        self._base = base_path()
        self._policy = page_policy(SHELL, *map(page_shell, LANGUAGES))
        files = (path.relative_to(STATIC) for path in STATIC.rglob("*") if path.is_file())
        below = {self._below_base(path) for path in own_files()}
        self._files = {path.as_posix() for path in files} - {"index.html"} | below

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let Streamlit answer."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        path = self._below_base(scope["path"])
        answer = _Answer(send, KEPT if (path or "").startswith(_MEDIA) else self._policy)
        with speaking(accepted(Headers(scope=scope).get("accept-language"))):
            refusal, failed = self._refusal(scope, path), say("web.failed")
        if refusal:
            await refusal(scope, receive, answer.send)
            return
        try:
            await self._app(scope, receive, answer.send)
        except Exception:
            if scope["type"] == "http" and not answer.begun:
                await PlainTextResponse(failed, 500)(scope, receive, answer.send)
            raise

    def _below_base(self, path: str) -> str | None:
        """Return the path below the base path; None for a path outside it."""
        if path == self._base:
            return ""
        below = f"{self._base}/"
        return path.removeprefix(below) if path.startswith(below) else None

    def _refusal(self, scope: Scope, path: str | None) -> Response | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host"), headers.get("origin")
        if not self._hosts.answer_to(host):
            return PlainTextResponse(say("web.foreign_host"), 421)
        if origin is not None and not is_same_origin(origin, host):
            return PlainTextResponse(say("web.foreign_page"), 403)
        if path is None or not self._is_known(scope, path):
            return HTMLResponse(_no_such_page(self._base), 404)
        return self._refusal_of_body(scope, path, headers) if scope["type"] == "http" else None

    def _is_known(self, scope: Scope, path: str) -> bool:
        if scope["type"] == "websocket":
            return path == _STREAM
        return (
            path in _NEEDED
            or path in self._files
            or path.startswith(_MEDIA)
            or (path.startswith(_UPLOAD) and self._largest_upload > 0)
            or self._is_own(scope)
        )

    def _is_own(self, scope: Scope) -> bool:
        """Return whether a route of our own matches; Streamlit itself drops a final slash."""
        plain = {**scope, "path": scope["path"].rstrip("/")}
        return any(route.matches(plain)[0] is not Match.NONE for route in self._own)

    def _refusal_of_body(self, scope: Scope, path: str, headers: Headers) -> Response | None:
        upload = path.startswith(_UPLOAD)
        if not upload and scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse(say("web.only_read"), 405, {"Allow": "GET, HEAD"})
        length = headers.get("content-length", "0")
        measured = "transfer-encoding" not in headers and re.fullmatch(r"[0-9]{1,15}", length)
        if not measured or int(length) > (self._largest_upload if upload else 0):
            return PlainTextResponse(say("web.too_large"), 413, {"Connection": "close"})
        return None


def _no_such_page(base: str) -> str:
    words = {
        "LANGUAGE": language(),
        "TITLE": say("web.no_page"),
        "NONE": say("web.no_page_here"),
        "FIRST": say("web.first_page"),
        "BASE": base,
    }
    page = _NO_SUCH_PAGE
    for name, said in words.items():
        page = page.replace(name, said)
    return page


class _Answer:
    """The answer to one request; adds the headers to it."""

    def __init__(self, send: Send, policy: str) -> None:
        self.begun = False
        self._send = send
        self._policy = policy

    async def send(self, message: Message) -> None:
        """Pass a message on."""
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            self.begun = True
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}
            added = security_headers(self._policy)
            message = {**message, "headers": given + [one for one in added if one[0] not in names]}
        await self._send(message)
