"""Serves files that never change: Streamlit's own, the browser's modules, and pictures.

A browser requests about 170 of them on its first visit, three megabytes. Streamlit looks up each
one on the disk, in other threads, and sends it uncompressed, at four times the cost of the page.
"""

import asyncio
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from viz.pictures.served import base_path, module_files
from viz.subjects.lecture.shipped_decks import picture_files
from viz.web.shell import STATIC

_HASHED = "static"
"""Streamlit's folder of files whose names contain the hash of their contents."""
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""Media types by suffix, because the system's own types vary and a browser believes them."""
_PACKED = {".css", ".js", ".svg"}
"""Suffixes of files that compression makes smaller; the others are compressed already."""
_FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


class File(NamedTuple):
    """One file with its headers."""

    body: bytes
    headers: dict[str, str]


class Files:
    """ASGI middleware: serves each file from memory, after reading and compressing it once."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap `app`, which answers all other requests."""
        self._app = app
        self._readers = file_readers()
        self._files: dict[tuple[str, bool], File] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the app answer."""
        if scope["type"] != "http" or (read := self._readers.get(scope["path"])) is None:
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        suffix = Path(path).suffix
        packs = suffix in _PACKED and "gzip" in Headers(scope=scope).get("accept-encoding", "")
        file = self._files.get((path, packs))
        if file is None:
            file = await asyncio.to_thread(read_file, read, suffix, packs)
            self._files[path, packs] = file
        await Response(file.body, headers=file.headers)(scope, receive, send)


def file_readers() -> dict[str, Callable[[], bytes]]:
    """Return a reader for each file, by its path on the server."""
    found: dict[str, Callable[[], bytes]] = {}
    for file in (STATIC / _HASHED).rglob("*"):
        if file.suffix in _TYPES:
            found[f"{base_path()}/{file.relative_to(STATIC).as_posix()}"] = file.read_bytes
    return found | own_files()


def own_files() -> dict[str, Callable[[], bytes]]:
    """Return a reader for each file that is not Streamlit's, by its path on the server."""
    modules = {path: code.encode for path, code in module_files().items()}
    pictures = {f"{base_path()}/{path}": file.read_bytes for path, file in picture_files().items()}
    return modules | pictures


def read_file(read: Callable[[], bytes], suffix: str, packs: bool) -> File:
    """Read a file, and compress it if the browser accepts that."""
    headers = _FOR_GOOD | {"Content-Type": _TYPES[suffix]}
    if not packs:
        return File(read(), headers)
    return File(gzip.compress(read(), mtime=0), headers | {"Content-Encoding": "gzip"})
