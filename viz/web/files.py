"""Answers for files that never change: Streamlit's own, the browser's modules, and pictures.

A browser that comes for the first time asks for some 170 of them, three megabytes. Streamlit looks
each up on the disk, in other threads, and sends it as it is: four times what the page itself costs.
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
"""The folder of Streamlit's whose files have the hash of their contents in their names."""
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""By the end of a name: what the system says of it differs, and a browser believes it."""
_PACKED = {".css", ".js", ".svg"}
"""What gets smaller; the others are packed as they are."""
_FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


class File(NamedTuple):
    """One file, as it is sent."""

    body: bytes
    headers: dict[str, str]


class Files:
    """ASGI middleware: answers for each file from memory, where it is read and packed once."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`, which answers for all the rest."""
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
    """Return what reads each file, by the path at which the server has it."""
    found: dict[str, Callable[[], bytes]] = {}
    for file in (STATIC / _HASHED).rglob("*"):
        if file.suffix in _TYPES:
            found[f"{base_path()}/{file.relative_to(STATIC).as_posix()}"] = file.read_bytes
    return found | own_files()


def own_files() -> dict[str, Callable[[], bytes]]:
    """Return what reads each file that is not Streamlit's, by its path on the server."""
    modules = {path: code.encode for path, code in module_files().items()}
    pictures = {f"{base_path()}/{path}": file.read_bytes for path, file in picture_files().items()}
    return modules | pictures


def read_file(read: Callable[[], bytes], suffix: str, packs: bool) -> File:
    """Read a file and, where the browser can unpack it, pack it."""
    headers = _FOR_GOOD | {"Content-Type": _TYPES[suffix]}
    if not packs:
        return File(read(), headers)
    return File(gzip.compress(read(), mtime=0), headers | {"Content-Encoding": "gzip"})
