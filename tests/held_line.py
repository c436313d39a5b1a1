"""A connection to the server on which a test can hold back the messages of a page."""

import time

from playwright.sync_api import Page, WebSocketRoute

from tests.browsing import PATIENCE_MS


class Line:
    """The connection of a page to the server, on which a test can hold back the page's messages."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.is_held = False
        self.held: list[tuple[WebSocketRoute, str | bytes]] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if self.is_held:
                self.held.append((server, message))
            else:
                server.send(message)

        socket.on_message(pass_on)

    def wait_for(self, count: int) -> None:
        """Wait until `count` messages are held back."""
        ends = time.monotonic() + PATIENCE_MS / 1000
        while len(self.held) < count:
            assert time.monotonic() < ends, f"only {len(self.held)} messages came"
            self.page.evaluate("() => new Promise(requestAnimationFrame)")

    def reset(self) -> None:
        """Drop the messages held back, and hold back no others."""
        self.is_held, self.held = False, []

    def release(self) -> None:
        self.is_held = False
        for server, message in self.held:
            server.send(message)
        self.held = []
