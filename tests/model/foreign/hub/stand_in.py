"""A local server in place of the Hugging Face Hub, which answers as a test tells it to."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from qa.audit.browser import answering

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """The files that the server has, the requests it received, and its faults."""

    files: dict[str, bytes] = field(default_factory=dict)
    repo: str = "org/tiny-gpt2"
    commit: str = COMMIT
    refs: tuple[str, ...] = ("main",)
    address: str = ""
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """The method, path and Range of each request."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Sizes that the listing gives instead of the true ones."""
    cut: dict[str, int] = field(default_factory=dict)
    """The number of bytes after which the connection for a file is dropped, once."""
    redirect: dict[str, str] = field(default_factory=dict)
    status: int = 200
    ranges: bool = True
    during: Callable[[str, int], None] = lambda _name, _done: None
    """Called between two pieces of a file."""

    def got(self, name: str) -> list[str]:
        """Return the ranges of the requests for a file's contents."""
        return [
            span for method, path, span in self.asked if method == "GET" and path.endswith(name)
        ]


def put_folder(hub: Hub, folder: Path) -> None:
    hub.files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@contextmanager
def served(hub: Hub) -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(has_body=False)

        def do_GET(self) -> None:
            self._answer(has_body=True)

        def _answer(self, *, has_body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.asked.append((self.command, path, self.headers.get("Range", "")))
            if hub.status != 200:
                return self._send(hub.status, b"{}", has_body=has_body)
            api, named = f"/api/models/{hub.repo}", f"/{hub.repo}/resolve/{hub.commit}/"
            if path in (api, *(f"{api}/revision/{ref}" for ref in (*hub.refs, hub.commit))):
                said = {"id": hub.repo, "sha": hub.commit, "siblings": []}
                return self._send(200, json.dumps(said).encode(), has_body=has_body)
            if path == f"{api}/tree/{hub.commit}":
                listed = [_listed(name, data, hub) for name, data in hub.files.items()]
                return self._send(200, json.dumps(listed).encode(), has_body=has_body)
            if path.startswith(f"{api}/revision/"):
                return self._missing("RevisionNotFound", has_body=has_body)
            name = path.removeprefix(named)
            if path.startswith(named) and name in hub.files:
                return self._file(name, has_body=has_body)
            return self._missing("RepoNotFound", has_body=has_body)

        def _file(self, name: str, *, has_body: bool) -> None:
            data, span = hub.files[name], self.headers.get("Range", "")
            begin = int(span.removeprefix("bytes=").rstrip("-")) if span and hub.ranges else 0
            about = {"ETag": f'"{_hash(data)}"', "X-Repo-Commit": hub.commit}
            if name in hub.redirect and has_body:
                self._send(302, b"", {"Location": hub.redirect[name]}, has_body=True)
                return
            if begin:
                about["Content-Range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
            self._send(206 if begin else 200, data[begin:], about, has_body=has_body, name=name)

        def _missing(self, code: str, *, has_body: bool) -> None:
            self._send(404, b"{}", {"X-Error-Code": code}, has_body=has_body)

        def _send(
            self, status: int, data: bytes, more: dict | None = None, *, has_body: bool, name=""
        ) -> None:
            self.send_response(status)
            for key, value in {"Content-Length": str(len(data)), **(more or {})}.items():
                self.send_header(key, value)
            self.end_headers()
            if not has_body:
                return
            cut, step = hub.cut.pop(name, len(data)), 1 << 16
            with suppress(ConnectionError):  # the client has disconnected
                for at in range(0, min(cut, len(data)), step):
                    hub.during(name, at)
                    self.wfile.write(data[at : min(at + step, cut)])
            if cut < len(data):
                self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    with answering(server):
        yield hub


def _listed(name: str, data: bytes, hub: Hub) -> dict:
    size = hub.sizes.get(name, len(data))
    entry = {"type": "file", "path": name, "size": size, "oid": _hash(data)[:40]}
    if name.endswith((".safetensors", ".bin")):
        entry["lfs"] = {"oid": _hash(data), "size": size, "pointerSize": 130}
    return entry


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
