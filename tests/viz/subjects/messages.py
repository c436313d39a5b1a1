"""Counts the messages that a page sends to Python."""

from playwright.sync_api import Page

_COUNT = """() => {
  const send = WebSocket.prototype.send;
  window.messages = 0;
  WebSocket.prototype.send = function (...all) {
    window.messages += 1;
    return send.apply(this, all);
  };
}"""


def count_messages(page: Page) -> None:
    """Start counting the messages of an open page."""
    page.evaluate(_COUNT)


def messages(page: Page) -> int:
    return page.evaluate("messages")
