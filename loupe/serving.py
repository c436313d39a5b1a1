"""Serves the app from the process that holds the model.

Streamlit's own command takes over a process: its signals, its `__main__`, its search path. Here the
server runs in a thread and leaves these to their owner.
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

from torch import Tensor, nn

from loupe.about import NO_APP
from loupe.foreign import is_of_transformers
from loupe.from_module import poured
from loupe.from_transformers import shown
from loupe.module_finder import HOME
from loupe.texts import sort_out
from loupe.tracing import opened
from model.foreign.huggingface import Opened
from viz.models.guest_models import held_names, hold, let_go

try:
    import streamlit as st
    import uvicorn
    from streamlit import config, runtime
    from streamlit.runtime.scriptrunner import script_runner
except ImportError as error:
    raise ImportError(NO_APP) from error

ADDRESS = "127.0.0.1"
_SCRIPT = Path(__file__).parent / "explored" / "script.py"
_PATIENCE = 60.0
"""The time limit for starting a server and for stopping it, in seconds."""


class Explorer:
    """The app on a model of this process, until the process ends or `stop` is called."""

    def __init__(self, name: str, address: str) -> None:
        self._name = name
        self.address = address
        """The address of the page, which answers only this machine."""

    def stop(self) -> None:
        """Release the model, which stays as it is. The server ends with the last model."""
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

    The model stays in this process, unchanged. For a transformers model of a family that Loupe
    implements, the pages show Loupe's own model with the same weights, after a check that both
    return the same numbers. Other transformers models are recorded while a copy of them runs, and
    some pages have nothing to show. A module built around torch's transformer is shown by a copy,
    after a check on the text.

    Args:
        model: A model from `loupe.load`, a transformers model, or a torch module that turns ids
            into logits with `nn.Transformer`, `nn.TransformerEncoder` or `nn.TransformerDecoder`.
        tokenizer: One of transformers or tokenizers; for a torch module as in `loupe.trace`. A
            checkpoint of Loupe has its own, so you may pass the text in this place.
        text: The first text on the page; required for a torch module.
        target: The first target on the page; required for a torch module with a decoder.

    Raises:
        TypeError: If the pages cannot show a model or use a tokenizer of this kind.
        ValueError: If the attention cannot be recorded, if Loupe's own model returns other numbers,
            or if a torch module cannot be followed.
        RuntimeError: If the process already serves another Streamlit app.
    """
    tokenizer, *given = sort_out(tokenizer, text, target)
    if any(isinstance(each, Tensor) for each in given):
        raise TypeError("the pages need texts as strings, not as ids")
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
            raise TypeError(
                "the pages need a tokenizer to read texts: loupe.explore(model, tokenizer)"
            )
        return shown(model, tokenizer)
    try:
        return poured(model, tokenizer, text, target)
    except ValueError as error:
        raise ValueError(
            f"the pages cannot show {type(model).__name__}: {error}; loupe.trace runs any torch "
            "module and draws its attention"
        ) from error


def show_page() -> None:
    """Draw the page that a browser asks for."""
    from viz.script import main

    main()


class _Server:
    """The server of a process, of which there is one, as Streamlit has one runtime."""

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
        """Start the server unless it runs already; return its port."""
        with cls._lock:
            if cls.running is None:
                if runtime.exists():
                    raise RuntimeError(
                        "this process already serves a Streamlit app, and can serve only one: "
                        "start another process for Loupe"
                    )
                cls.running = cls()
                cls.running._wait_until_up()
            return cls.running.port

    @classmethod
    def stop(cls) -> None:
        """End the server, and restore Streamlit's former state."""
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
        runtime.Runtime._instance = None  # otherwise no other could start


def _configure() -> None:
    """Set Streamlit up for the app, and keep it from replacing this process's `__main__`."""
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
    """Replaces the step in which Streamlit replaces `__main__` and extends the search path.

    Another owner's process needs its own `__main__`, for example to find pickled classes.
    """

    main: ModuleType

    def __init__(self, _script: str) -> None: ...

    def __enter__(self) -> None:
        sys.modules["__main__"] = self.main

    def __exit__(self, *_: object) -> None: ...
