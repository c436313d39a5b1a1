"""Patched cells as a page of HTML that needs neither a server nor the network."""

import functools
import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template

from jaxtyping import Float32
from numpy import ndarray

from texts import Language, language
from viz.pictures.own_page import deflated, policy_of, speaking_script
from viz.pictures.theme import MONO, SANS, colour_variables
from viz.subjects.mattered.wire import WireGrids, WirePatchingPage

_FOLDER = Path(__file__).parent
_SHEETS = (_FOLDER.parents[1] / "pictures" / "loupe.css", _FOLDER / "mattered.css")


def patching_page(
    groups: Sequence[WireGrids],
    shares: Float32[ndarray, " cell"],
    *,
    most: float | None,
    title: str,
    note: str,
) -> str:
    """Write a page that shows grids of cells, each with the share that it brings back.

    Where `most` is given, each has the part of that by which it changes a number instead. Tokens
    are text in it whatever they contain, and its policy lets no script run but its own.
    """
    spoken = language()
    script = _script(spoken)
    sent: WirePatchingPage = {
        "meta": {"groups": list(groups), "answer": "", "other": "", "most": most, "keeps": False},
        "shares": deflated(shares.astype("<f4").tobytes()),
    }
    return Template((_FOLDER / "standalone.html").read_text(encoding="utf-8")).substitute(
        lang=spoken,
        policy=policy_of(script),
        title=html.escape(title),
        colours=f"{colour_variables()} --mono: {MONO};",
        sheets="".join(path.read_text(encoding="utf-8") for path in _SHEETS),
        font=SANS,
        note=html.escape(note),
        sent=json.dumps(sent, ensure_ascii=False).replace("<", "\\u003c"),
        script=script,
    )


@functools.cache
def _script(spoken: Language) -> str:
    name = "subjects/mattered/browser/standalone.js"
    return speaking_script(spoken, name, "begin(document)")
