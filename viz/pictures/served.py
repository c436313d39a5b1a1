"""Serves the browser's modules, under a path that names their contents."""

import gzip
import hashlib
import re
from pathlib import Path, PurePosixPath

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

_VIZ = Path(__file__).parents[1]
_HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept-Encoding",
}


def read_modules(folder: Path) -> dict[str, bytes]:
    """Read all modules below a folder, by their path in it; tests of them are not among these."""
    paths = sorted(folder.glob("**/browser/**/*.js"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def hash_of(modules: dict[str, bytes]) -> str:
    """Name modules by their paths and contents together."""
    found = hashlib.sha256()
    for name, code in sorted(modules.items()):
        found.update(f"{name}\0{len(code)}\0".encode())
        found.update(code)
    return found.hexdigest()[:16]


_IMPORT = re.compile(r'^(?:import|\}) .*?from "(\.[^"]+)";$', re.MULTILINE)

_MODULES = read_modules(_VIZ)
_HASH = hash_of(_MODULES)
_PACKED = {name: gzip.compress(code, mtime=0) for name, code in _MODULES.items()}
"""Compressed once: for each request anew it would cost more than all the rest."""


def address(name: str = "") -> str:
    """Give the path at which the server has a module; without a name, the folder of all."""
    if name and name not in _MODULES:
        raise ValueError(f"a module must be one of those served, got {name!r}")
    return f"{base_path()}/loupe/{_HASH}/{name}"


def imports_of(*names: str) -> tuple[str, ...]:
    """Give some modules and all that they import, these too, each once."""
    found = dict.fromkeys(names)
    waiting = [*names]
    while waiting:
        for wanted in import_paths(waiting.pop()):
            if wanted not in found:
                found[wanted] = None
                waiting.append(wanted)
    return tuple(found)


def import_paths(name: str) -> list[str]:
    """Give the modules that one imports itself, by their path in viz."""
    folder = PurePosixPath(name).parent
    return [joined(folder, path) for path in _IMPORT.findall(read_module(name))]


def read_module(name: str) -> str:
    """Give the code of a module."""
    return _MODULES[name].decode()


def routes() -> list[BaseRoute]:
    """Give the server's routes to the modules: these and nothing else, by exact name."""
    return [Route(f"{base_path()}/loupe/{_HASH}/{{name:path}}", _send, methods=["GET"])]


async def _send(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _MODULES:
        return Response(status_code=404)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        packed = _HEADERS | {"Content-Encoding": "gzip"}
        return Response(_PACKED[name], media_type="text/javascript", headers=packed)
    return Response(_MODULES[name], media_type="text/javascript", headers=_HEADERS)


def joined(folder: PurePosixPath, path: str) -> str:
    """Give the path of what a module in a folder imports as `path`."""
    parts = [*folder.parts]
    for part in path.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def base_path() -> str:
    """Give what every path begins with: "", or "/loupe" of a server at example.org/loupe."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""
