"""Asks an ASGI app for a raw path, and waits for the work that the request begins."""

from starlette.types import ASGIApp, Message

from tests.loops import finish
from viz.web import prefetch

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""


def ask(app: ASGIApp, path: str, accepts: str = "") -> Answer:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "root_path": "",
        "query_string": b"",
        "headers": [(b"accept-encoding", accepts.encode())],
    }
    finish(app(scope, receive, send))
    prefetch.finish(timeout=60)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(m.get("body", b"") for m in sent[1:])
