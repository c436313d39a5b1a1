"""Firefox, driven by WebDriver BiDi over a websocket, which needs no separate driver program."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.browsing import SIZE, outside
from tests.engines.engine import PATIENCE, Engine
from tests.engines.programs import found, started
from tests.processes import until


class Firefox(Engine):
    name = "firefox"
    allowed = (r"Content-Security-Policy: .*WebAssembly",)
    """Streamlit's long.js tests for WebAssembly and works without it (docs/internals/safety.md).
    Only Firefox reports the test."""

    def __init__(self, channel: ClientConnection) -> None:
        super().__init__()
        self.channel = channel
        self.numbers = count()
        self.send("session.new", capabilities={})
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.send("browsingContext.setViewport", context=self.context, viewport=SIZE)

    def send(self, method: str, **parameters: object) -> Any:
        number = next(self.numbers)
        self.channel.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            said = json.loads(self.channel.recv(timeout=PATIENCE))
            if said.get("id") == number:
                assert said["type"] == "success", f"{method}: {said}"
                return said["result"]
            self.hear(said)

    def hear(self, said: Mapping[str, Any]) -> None:
        event = said["params"]
        if said["method"] == "log.entryAdded" and event["level"] == "error":
            self.complaints.append(event["text"] or "")
        elif said["method"] == "network.beforeRequestSent":
            self.complaints += outside(event["request"]["url"])

    def visit(self, url: str) -> None:
        self.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def back(self) -> None:
        self.send("browsingContext.traverseHistory", context=self.context, delta=-1)

    def act(self, sources: Sequence[dict[str, Any]]) -> None:
        self.send("input.performActions", context=self.context, actions=sources)

    def call(self, function: str, given: str) -> str:
        said = self.send(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"type": "string", "value": given}],
            target={"context": self.context},
            awaitPromise=True,
        )
        assert said["type"] == "success", said["exceptionDetails"]["text"]
        return said["result"]["value"]

    def listen(self) -> None:
        self.send("session.status")  # earlier events arrive before the answer


@contextmanager
def firefox(folder: Path) -> Iterator[Engine]:
    """Start Firefox with an empty profile in a folder."""
    program = found("firefox-esr", "firefox")
    (folder / "user.js").write_text('user_pref("ui.prefersReducedMotion", 1);\n')
    flags = ("--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(folder))
    told = folder / "WebDriverBiDiServer.json"
    with started(folder, [program, *flags], {"HOME": str(folder)}):
        until(lambda: told.exists() and told.read_text().endswith("}"))
        port = json.loads(told.read_text())["ws_port"]
        with connect(f"ws://127.0.0.1:{port}/session", max_size=None) as channel:
            yield Firefox(channel)
