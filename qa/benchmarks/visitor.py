"""A visitor of the app without a browser, who sends the messages of a browser.

It opens a page, chooses cells and heads, writes sentences and presses buttons. With each action it
tells the server which messages it has, as a browser does. It draws nothing.
"""

import asyncio
import json
import time
from typing import Self
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

PATIENCE = 120.0
"""The number of seconds after which it stops waiting for an answer."""
_SELECTION = "loupe_selection"
"""The component that tells Python about choices."""
_SIZES = {"head": "heads", "query": "rows", "key": "columns"}
"""The fields of a run that give the numbers of heads, rows and columns."""


class Visitor:
    """One session. Used by `async with`; each action returns the seconds until everything
    arrived."""

    def __init__(self, address: str, page: str = "", **query: str) -> None:
        """Prepare to open a page of the server at an address, by its path and a link's query."""
        self._host = urlsplit(address).netloc
        self._page = page
        self._query = urlencode(query)
        self._cached: set[str] = set()
        self._script = ""
        self._fragments: dict[str, str] = {}
        self._widgets: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._selection: dict[str, str | int] = {}
        self._sizes: dict[str, dict[str, int]] = {}
        self._choices = 0
        self._stream: ClientConnection

    async def __aenter__(self) -> Self:
        self._stream = await connect(
            f"ws://{self._host}/_stcore/stream",
            origin=f"http://{self._host}",  # pyright: ignore[reportArgumentType] - a str
            subprotocols=["streamlit"],  # pyright: ignore[reportArgumentType]
            max_size=None,
            open_timeout=None,
            ping_timeout=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stream.close()

    async def open(self) -> float:
        return await self._ask()

    async def choose(self, name: str) -> float:
        """Choose the next "head", "query" or "key"."""
        sizes = self._sizes[str(self._selection["kind"])]
        chosen = (int(self._selection[name]) + 1) % sizes[_SIZES[name]]
        self._selection[name] = chosen
        self._choices += 1
        event = {"event": "commit", "value": self._selection | {"number": self._choices}}
        id = self._widgets[_SELECTION]
        state = WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{id}__events")
        state.json_trigger_value = json.dumps([event])
        return await self._ask(state, fragment=self._fragments[id])

    async def write(
        self, sentence: str, *, checkpoint: str | None = None, page: str | None = None
    ) -> float:
        """Write another sentence, on another page or for a checkpoint of another title."""
        self._texts[self._widgets["source"]] = sentence
        if checkpoint is not None:
            self._texts[self._widgets["checkpoint"]] = checkpoint
        if page is not None:
            self._page, self._script = page, ""
        return await self._ask()

    async def press(self, key: str) -> float:
        """Press a button, by its key in the code."""
        id = self._widgets[key]
        return await self._ask(WidgetState(id=id, trigger_value=True), self._fragments[id])

    async def _ask(self, state: WidgetState | None = None, fragment: str = "") -> float:
        ask = BackMsg()
        run = ask.rerun_script
        run.query_string = self._query
        run.page_name = self._page
        run.page_script_hash = self._script
        run.fragment_id = fragment
        run.widget_states.SetInParent()
        for id, text in self._texts.items():
            run.widget_states.widgets.add(id=id, string_value=text)
        if state:
            run.widget_states.widgets.append(state)
        run.cached_message_hashes.extend(self._cached)
        run.context_info.url = f"http://{self._host}/{self._page}"
        run.context_info.locale = "en-US"
        begun = time.perf_counter()
        await self._stream.send(ask.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while not self._take(await self._stream.recv()):
                pass
        return time.perf_counter() - begun

    def _take(self, data: str | bytes) -> bool:
        """Process one message; return whether it ends the run of the script."""
        assert isinstance(data, bytes)
        message = ForwardMsg()
        message.ParseFromString(data)
        if message.metadata.cacheable:
            self._cached.add(message.hash)
        match message.WhichOneof("type"):
            case "navigation":
                self._script = message.navigation.page_script_hash
            case "page_info_changed":
                self._query = message.page_info_changed.query_string
            case "delta":
                self._note(message.delta.new_element, message.delta.fragment_id)
            case "script_finished":
                return message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        return False

    def _note(self, element: Element, fragment: str) -> None:
        match element.WhichOneof("type"):
            case "exception":
                raise RuntimeError(element.exception.message)
            case "text_input":
                field = element.text_input
                self._remember(field.id, fragment)
                self._texts[field.id] = field.value if field.set_value else field.default
            case "selectbox" | "button" as kind:
                self._remember(getattr(element, kind).id, fragment)
            case "bidi_component":
                component = element.bidi_component
                self._fragments[component.id] = fragment
                self._widgets[component.component_name] = component.id
                data = component.mixed.json or component.json
                if component.component_name == _SELECTION:
                    self._selection = json.loads(data)["selection"]
                elif component.component_name == "loupe_run":
                    self._sizes = json.loads(data)["meta"]["kinds"]

    def _remember(self, id: str, fragment: str) -> None:
        key = id.split("-", 2)[2]  # $$ID-digest-key
        self._widgets[key], self._fragments[id] = id, fragment
