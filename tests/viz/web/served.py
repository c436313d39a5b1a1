"""The app's server as the tests use it: requests, and the websocket of a session."""

import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

WATCHED = """
import gc, os, sys
def note(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        address = arguments
    elif event == "socket.bind":
        address = "bound"
    else:
        return
    with open(os.environ["LOUPE_TEST_LOG"], "a") as log:
        log.write(f"{os.getpid()} {event} {address}\\n")
def collect(phase, about):
    if phase == "stop" and about["generation"] == 2:
        with open(os.environ["LOUPE_TEST_LOG"] + ".collected", "a") as log:
            log.write(f"{about['collected']}\\n")
sys.addaudithook(note)
gc.callbacks.append(collect)
gc.disable()  # what is collected still was asked for
"""
"""Code that logs the server's attempts to reach others, and its full garbage collections."""


class Server(NamedTuple):
    port: int
    log: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def collections(self) -> int:
        """The number of full garbage collections so far."""
        return len(Path(f"{self.log}.collected").read_text().splitlines())

    def ask(self, path="/", method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            return answer.status, {n.lower(): v for n, v in answer.getheaders()}, text
        finally:
            connection.close()

    @contextmanager
    def stream(self, host: str = "", origin: str | None = None) -> Iterator[ClientConnection]:
        host = host or f"127.0.0.1:{self.port}"
        end = socket.create_connection(("127.0.0.1", self.port))
        url = f"ws://{host}/_stcore/stream"
        with connect(url, sock=end, origin=origin, subprotocols=["streamlit"]) as stream:
            yield stream

    def handshake(self, **names: str) -> int:
        """Return the status with which the server answers a websocket handshake."""
        try:
            with self.stream(**names):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code


def run_script(stream: ClientConnection, page: str = "", query: str = "") -> list[ForwardMsg]:
    """Open a page as a browser does; return all messages until the script has ended."""
    ask = BackMsg()
    ask.rerun_script.query_string = query
    ask.rerun_script.page_name = page
    stream.send(ask.SerializeToString())
    received = []
    while (
        not received
        or received[-1].WhichOneof("type") != "script_finished"
        or runs_again(received[-1])
    ):
        message = ForwardMsg()
        message.ParseFromString(stream.recv(timeout=60))
        received.append(message)
    elements = [message.delta.new_element for message in received]
    assert [str(each.exception) for each in elements if each.HasField("exception")] == []
    return received


def runs_again(finished: ForwardMsg) -> bool:
    """Return whether the script stopped early in order to run again from its beginning."""
    return finished.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN


def drain(stream: ClientConnection) -> None:
    while True:
        stream.recv(timeout=60)
