"""Serves the app from the process that holds the model, beside whatever else that process does.

Streamlit's own command takes the whole process: its signals, its `__main__`, its search path. Here
its server runs in a thread, and the process stays its owner's.
"""

import socket
import sys
import threading
import time
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Self
from urllib.parse import urlencode

import streamlit as st
import uvicorn
from streamlit import config, runtime
from streamlit.runtime.scriptrunner import script_runner
from torch import Tensor, nn

from loupe.foreign import is_of_transformers
from loupe.from_module import poured
from loupe.from_transformers import shown
from loupe.module_finder import HOME
from loupe.texts import sort_out
from loupe.tracing import opened
from model.foreign.huggingface import Opened
from viz.run.guest_models import held_names, hold, let_go

ADDRESS = "127.0.0.1"
_SCRIPT = Path(__file__).parent / "explored" / "script.py"
_PATIENCE = 60.0
"""Seconds in which a server has to be up, and has to be down again."""


class Explorer:
    """The app on a model of this process. It ends with the process, or with `stop`."""

    def __init__(self, name: str, address: str) -> None:
        self._name = name
        self.address = address
        """Of the page to open: it answers this machine alone."""

    def stop(self) -> None:
        """Let the model go; with the last one the server ends. The model stays as it is."""
        let_go(self._name)
        if not held_names():
            _Server.stop()

    def __repr__(self) -> str:
        return f"Loupe is at {self.address}"

    def _repr_html_(self) -> str:
        return f'Loupe is at <a href="{self.address}" target="_blank">{self.address}</a>'


def explore(
    model: "Opened | nn.Module",
    tokenizer: object = None,
    text: str | None = None,
    *,
    target: str | None = None,
) -> Explorer:
    """Start the app on a model of this process, print its address, and return at once.

    The model stays yours: it is neither copied to another process nor changed. Of a model of
    transformers the pages show Loupe's own with the same weights, after both gave the same; of a
    kind that Loupe has not, a copy is recorded while it runs, and some pages have nothing to show.
    Of a module round torch's transformer they show a copy, after both gave the same for the text.

    Args:
        model: What `loupe.load` gives, a model of transformers, or a torch module that has
            `nn.Transformer`, or its encoder or decoder, between ids and what it gives.
        tokenizer: Of transformers or tokenizers; for a torch module as for `loupe.trace`. A
            checkpoint of Loupe has its own: there the text may stand in its place.
        text: What the page reads at first; a torch module needs one.
        target: What the model is given to write at first; a torch module with a decoder needs one.

    Raises:
        TypeError: On a model or a tokenizer of a kind that the pages cannot show.
        ValueError: On a model whose attention cannot be recorded, or that Loupe's own differs from,
            and on a torch module that cannot be followed.
        RuntimeError: Where the process serves a Streamlit app already.
    """
    tokenizer, *given = sort_out(tokenizer, text, target)
    if any(isinstance(each, Tensor) for each in given):
        raise TypeError("the pages read a text as it is typed: give strings in place of ids")
    text, target = (None if each is None else str(each) for each in given)
    name = hold(_opened(model, tokenizer, text, target))
    try:
        port = _Server.start()
    except BaseException:
        let_go(name)
        raise
    texts = {"source": text, "target": target}
    query = {"checkpoint": name} | {side: each for side, each in texts.items() if each}
    explorer = Explorer(name, f"http://{ADDRESS}:{port}/attention?{urlencode(query)}")
    sys.stdout.write(f"{explorer!r}\n")
    return explorer


def _opened(
    model: Opened | nn.Module, tokenizer: object, text: str | None, target: str | None
) -> Opened:
    model = opened(model, tokenizer)
    if not isinstance(model, nn.Module):
        return model
    if is_of_transformers(model):
        if tokenizer is None:
            raise TypeError("the pages read texts: loupe.explore(model, tokenizer)")
        return shown(model, tokenizer)
    try:
        return poured(model, tokenizer, text, target)
    except ValueError as error:
        raise ValueError(
            f"the pages cannot show {type(model).__name__}: {error}; of any torch module "
            "loupe.trace gives a run, with its attention as a picture"
        ) from error


def show_page() -> None:
    """Draw the page that a browser asks for."""
    from viz.script import main

    main()


class _Server:
    """The one server of a process: Streamlit has one runtime for each."""

    running: Self | None = None
    _lock = threading.Lock()

    def __init__(self) -> None:
        _configure()
        # After the settings: the modules read them when they are loaded.
        from viz.web.routes import guarded, own_routes

        routes = own_routes()
        app = st.App(_SCRIPT, routes=routes, middleware=guarded(routes))
        self._socket = socket.create_server((ADDRESS, 0))
        self.port = self._socket.getsockname()[1]
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_config=None,
                log_level="warning",
                ws="websockets-sansio",
                ws_max_size=config.get_option("server.maxMessageSize") * 1_000_000,
                timeout_graceful_shutdown=2,
            )
        )
        # Not in the main thread, uvicorn leaves the signals alone.
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="loupe", daemon=True
        )
        self._thread.start()

    @classmethod
    def start(cls) -> int:
        """Start it where it does not run; give its port."""
        with cls._lock:
            if cls.running is None:
                if runtime.exists():
                    raise RuntimeError(
                        "this process serves a Streamlit app already, and can serve but one: "
                        "start another process for Loupe"
                    )
                cls.running = cls()
                cls.running._wait_until_up()
            return cls.running.port

    @classmethod
    def stop(cls) -> None:
        """End it, and leave Streamlit as it was before."""
        with cls._lock:
            server, cls.running = cls.running, None
            if server is not None:
                server._end()

    def _wait_until_up(self) -> None:
        ends = time.monotonic() + _PATIENCE
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > ends:
                raise RuntimeError("the server of the app did not start")
            time.sleep(0.02)

    def _end(self) -> None:
        self._server.should_exit = True
        self._thread.join(_PATIENCE)
        self._socket.close()
        runtime.Runtime._instance = None  # else there could not be another one


def _configure() -> None:
    """Set Streamlit up for the app, and let it leave this process's `__main__` in place."""
    settings = tomllib.loads((HOME / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    for name, value in _flat(settings).items():
        config.set_option(name, value)
    script_runner.modified_sys_path = _LeaveMain  # pyright: ignore[reportPrivateImportUsage]
    _LeaveMain.main = sys.modules["__main__"]


def _flat(settings: dict, prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value
    return found


class _LeaveMain:
    """Stands where Streamlit puts a script's folder on the search path, having replaced `__main__`.

    Neither is for a process that is someone else's: what they pickle is looked up in `__main__`.
    """

    main: ModuleType

    def __init__(self, _script: str) -> None: ...

    def __enter__(self) -> None:
        sys.modules["__main__"] = self.main

    def __exit__(self, *_: object) -> None: ...
