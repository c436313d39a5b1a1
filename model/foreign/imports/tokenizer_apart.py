"""A third-party tokenizer, run in a separate process with bounds on time and memory.

A tokenizer's file does not show how long it will run: its regular expressions may run for ever, in
code that blocks all other threads. In its own process, it can only end that process and one call.
"""

import contextlib
import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from model.files.json_fields import shorten
from model.files.plain_text import plain
from model.foreign.imports.memory import in_words
from model.foreign.imports.tokenizer_process import LENGTH
from model.text.normalised import UnreadableTextError

_SCRIPT = Path(__file__).with_name("tokenizer_process.py")
SECONDS, MEMORY = 5, 2_000_000_000
"""The CPU seconds that a call may take, and the bytes of address space for the process."""
_PATIENCE = 120.0
"""The seconds of real time for a call, for systems that do not limit CPU time."""
_LONGEST_ANSWER = 200_000_000
ON_THIS = "the tokenizer failed on this text: "


class TokenizerError(UnreadableTextError):
    """A third-party tokenizer failed on a text; the message says how."""


_running: WeakValueDictionary[bytes, "TokenizerApart"] = WeakValueDictionary()


def run_apart(data: bytes) -> "TokenizerApart":
    """Run a tokenizer.json in a process, or return the process that already runs it."""
    return _running.setdefault(data, TokenizerApart(data))


class TokenizerApart:
    """A tokenizer.json in its own process, which is restarted after a text has ended it.

    Threads may share it. Every method raises TokenizerError if the tokenizer fails. The last text
    that ended the process is not tried again.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = lambda: None
        self._ended_by = b"", ""
        """The call that last ended the process, and the error message for it."""

    def __reduce__(self) -> tuple[Callable[[bytes], "TokenizerApart"], tuple[bytes]]:
        """Pickle only the rules; unpickling starts a process."""
        return run_apart, (self._data,)

    def look(self, most: int) -> dict[str, Any]:
        """Return its decoder as JSON, its model's type, and the tokens of the first `most` ids."""
        return _found(self._call("look", most))

    def encode(self, text: str, *, around: bool = False) -> tuple[list[int], list[str], Any]:
        """Return ids, tokens and spans, with or without the tokens that it adds around a text."""
        ids, tokens, spans = _found(self._call("encode", text, around), ON_THIS)
        return ids, tokens, spans

    def decode(self, ids: Sequence[int]) -> str:
        """Write ids as text, without special tokens."""
        return _found(self._call("decode", ids), ON_THIS)

    def rules(self) -> str:
        """Return its rules as a tokenizer.json in the current format, with all fields."""
        return _found(self._call("rules"))

    def find(self, token: str) -> int | None:
        """Return the id of a token; None if it is unknown."""
        return _found(self._call("find", token), ON_THIS)

    def token(self, id: int) -> str | None:
        """Return the token of an id; None if it is unknown."""
        return _found(self._call("token", id))

    def make(self, folder: Path, probes: Sequence[str]) -> dict[str, Any]:
        """Read a folder with AutoTokenizer; only a process started with empty data can."""
        return _found(self._call("make", str(folder), probes))

    def _call(self, *call: object) -> Mapping[str, Any]:
        message = json.dumps(call).encode()
        with self._lock:
            if message == self._ended_by[0]:
                raise TokenizerError(self._ended_by[1])
            try:
                process = self._process or self._open()
                return _ask(process, message)
            except BaseException as error:  # the next call must not receive this call's answer
                if self._process and isinstance(error, TokenizerError):
                    self._ended_by = message, str(error)
                self._end()
                self._process = None
                raise

    def _open(self) -> subprocess.Popen[bytes]:
        process = self._process = _start()
        self._end = weakref.finalize(self, _end, process)
        _found(_ask(process, self._data))
        return process


def _start() -> subprocess.Popen[bytes]:
    spec = find_spec("tokenizers")
    assert spec is not None
    assert spec.origin is not None
    packages = str(Path(spec.origin).parents[1])
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SCRIPT), packages, str(SECONDS), str(MEMORY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C goes to this process, which then closes its input
        )
    except OSError as error:
        raise TokenizerError(
            f"the process of the tokenizer cannot be started ({error.strerror})"
        ) from error


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with contextlib.suppress(OSError):  # data that it has not read
            pipe.close()


def _ask(process: subprocess.Popen[bytes], message: bytes) -> Mapping[str, Any]:
    """Send a message, and wait for its answer. Raises TokenizerError if the process ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    clock = threading.Timer(_PATIENCE, process.kill)
    clock.daemon = True
    clock.start()
    try:
        process.stdin.write(len(message).to_bytes(LENGTH, "little") + message)
        process.stdin.flush()
        length = int.from_bytes(process.stdout.read(LENGTH), "little")
        data = process.stdout.read(length) if length <= _LONGEST_ANSWER else b""
    except OSError:
        length, data = 1, b""
    finally:
        clock.cancel()
    if not data or len(data) < length:
        raise TokenizerError(
            f"the tokenizer took too long, or more than {in_words(MEMORY)} of memory, and was "
            "stopped"
        )
    return json.loads(data)


def _found(answer: Mapping[str, Any], where: str = "") -> Any:  # noqa: ANN401 - JSON
    if "failed" in answer:
        raise TokenizerError(where + shorten(plain(str(answer["failed"]))))
    return answer.get("found")
