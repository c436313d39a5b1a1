"""WebKitGTK's WebKit, driven by WebDriver over HTTP on a virtual screen."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from qa.audit.browser import claimed_port
from tests.browsing import SIZE
from tests.engines.engine import PATIENCE, Engine
from tests.engines.programs import found, started
from tests.processes import until

HEAR = """() => {
  if (window.heard) return;
  window.heard = [];
  const { error } = console;
  console.error = (...said) => { heard.push(said.map(String).join(" ")); error(...said); };
  addEventListener("error", (event) => heard.push(event.message));
  addEventListener("unhandledrejection", (event) => heard.push(String(event.reason)));
  document.addEventListener("securitypolicyviolation", (event) =>
    heard.push(`${event.violatedDirective} forbids ${event.blockedURI}`));
}"""
"""Collect errors in the page, because WebKit's driver does not report the console."""


class WebKit(Engine):
    name = "webkit"

    def __init__(self, address: str, options: object) -> None:
        super().__init__()
        self.address = f"{address}/session"
        asked = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        self.address += "/" + self.send("POST", "", capabilities=asked)["sessionId"]
        wanted = {"width": SIZE["width"], "height": SIZE["height"]}
        self.send("POST", "/window/rect", **wanted)
        inside = self.evaluate("() => innerHeight")
        wanted["height"] += SIZE["height"] - inside
        self.send("POST", "/window/rect", **wanted)

    def send(self, method: str, path: str, **parameters: object) -> Any:
        body = json.dumps(parameters).encode() if method == "POST" else None
        request = Request(self.address + path, body, method=method)
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except HTTPError as error:
            pytest.fail(f"{path}: {error.read().decode()}")

    def visit(self, url: str) -> None:
        self.send("POST", "/url", url=url)
        self.evaluate(HEAR)

    def back(self) -> None:
        self.send("POST", "/back")

    def act(self, sources: Sequence[dict[str, Any]]) -> None:
        self.send("POST", "/actions", actions=sources)

    def call(self, function: str, given: str) -> str:
        script = f"""const [given, done] = arguments;
          ({function})(given).then(done, (error) => done("!" + error));"""
        said = self.send("POST", "/execute/async", script=script, args=[given])
        assert not said.startswith("!"), said
        return said

    def listen(self) -> None:
        self.complaints += self.evaluate("() => (window.heard ?? []).splice(0)")


@contextmanager
def webkit(folder: Path) -> Iterator[Engine]:
    """Start WebKitGTK's own small browser on a virtual screen, with its home in a folder."""
    driver, screen = found("WebKitWebDriver"), found("Xvfb")
    settings = folder / "gtk-3.0" / "settings.ini"
    settings.parent.mkdir()
    settings.write_text("[Settings]\ngtk-enable-animations=0\n")  # pages prefer reduced motion
    reads, writes = os.pipe()
    show = [screen, "-displayfd", str(writes), "-screen", "0", "1400x1200x24", "-nolisten", "tcp"]
    with ExitStack() as running:
        running.enter_context(started(folder, show, {}, hands=(writes,)))
        os.close(writes)
        with os.fdopen(reads) as said:
            display = said.readline().strip()
        environment = {f"XDG_{kind}_HOME": str(folder) for kind in ("CONFIG", "DATA", "CACHE")} | {
            "HOME": str(folder),
            "DISPLAY": f":{display}",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "WEBKIT_DISABLE_DMABUF_RENDERER": "1",
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",  # it opens only our own pages
        }
        port = running.enter_context(claimed_port())
        address = f"http://127.0.0.1:{port}"
        running.enter_context(started(folder, [driver, f"--port={port}"], environment))
        until(lambda: answers(f"{address}/status"))
        yield WebKit(address, {"args": ["--automation"]})


def answers(url: str) -> bool:
    with suppress(OSError), urlopen(url, timeout=1):
        return True
    return False
