"""The attention of one run as a page of HTML that needs neither a server nor the network."""

import base64
import functools
import hashlib
import html
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from jaxtyping import UInt16
from numpy import ndarray

from texts import Language, language, say
from viz.frame.styles import colour_variables
from viz.pictures.browser_modules import imports_of, read_module, said_by
from viz.pictures.bundle import bundle
from viz.pictures.theme import MONO, SANS
from viz.run.wire import WireChoice, WireMeasures, WireRun, WireSelection
from viz.subjects.attention.wire import WireCells, WireStandalone

_FOLDER = Path(__file__).parent
_SHEETS = (
    _FOLDER.parents[1] / "pictures" / "loupe.css",
    _FOLDER / "attention.css",
    _FOLDER / "cell.css",
)
_BROWSER = "subjects/attention/browser"
_SAY = "pictures/browser/say.js"


def standalone_page(
    run: WireRun,
    codes: UInt16[ndarray, " size"],
    measures: WireMeasures,
    selection: WireSelection,
    *,
    title: str,
    notes: Sequence[str],
    cells: WireCells | None = None,
    said: Mapping[str, object] | None = None,
) -> str:
    """Write a page that shows all heads of a run, and of one its weights as a map and as lines.

    Tokens are text in it whatever they contain, and its policy lets no script run but its own.

    Args:
        run: The run without its weights.
        codes: Weights as `viz.run.payload` codes them, each matrix at full size.
        measures: What every head does, in numbers.
        selection: Head and cell that are in view at first.
        title: Of the page.
        notes: Sentences at its foot.
        cells: What the arithmetic of its cells is computed from, where it has any.
        said: Where all of it comes from. With it the page saves its pictures itself.
    """
    spoken = language()
    script = _script(spoken, with_cells=cells is not None)
    sent: WireStandalone = {
        "run": run,
        "codes": deflated(codes.astype("<u2").tobytes()),
        "measures": measures,
        "choice": _first(selection),
        "cells": cells,
        "said": dict(said or {}),
    }
    return _template().substitute(
        lang=spoken,
        policy=policy_of(script),
        said=html.escape(json.dumps(sent["said"], ensure_ascii=False)),
        title=html.escape(title),
        colours=f"{colour_variables()} --mono: {MONO};",
        sheets="".join(path.read_text(encoding="utf-8") for path in _SHEETS),
        font=SANS,
        notes="".join(f"<p>{html.escape(note)}</p>" for note in notes),
        hint=html.escape(say("attention.not_in_file")),
        sent=json.dumps(sent, ensure_ascii=False).replace("<", "\\u003c"),
        script=script,
    )


def _first(selection: WireSelection) -> WireChoice:
    """Choose a head and a cell."""
    return {
        "selection": selection,
        "number": 0,
        "page": "attention",
    }


def deflated(numbers: bytes) -> str:
    """Write bytes as a page holds them: deflated, in base64."""
    return base64.b64encode(zlib.compress(numbers, 9)).decode()


@functools.cache
def page_bytes(spoken: Language) -> int:
    """Return how long a page is without any run."""
    sheets = sum(path.stat().st_size for path in _SHEETS)
    script = len(_script(spoken, with_cells=True))
    return sheets + script + len(_template().template) + len(colour_variables())


@functools.cache
def _template() -> Template:
    return Template((_FOLDER / "standalone.html").read_text(encoding="utf-8"))


@functools.cache
def hosting_script() -> str:
    """Return the script for whoever holds such pages in frames: it lends them colours and room."""
    name = f"{_BROWSER}/frame_host.js"
    return f'{bundle(name)}modules["{name}"].hostFrames();\n'


@functools.cache
def widget_module() -> str:
    """Return the module that a widget of a notebook is drawn by."""
    name = f"{_BROWSER}/widget.js"
    return f'{bundle(name)}export default modules["{name}"];\n'


@functools.cache
def _script(spoken: Language, *, with_cells: bool) -> str:
    if with_cells:
        return _speaking(spoken, "offline.js", "beginOffline(document)")
    return _speaking(spoken, "standalone.js", "begin(document)")


def _speaking(spoken: Language, module: str, call: str) -> str:
    """Write modules as one script that knows what they say in one language, and a call of them."""
    name = f"{_BROWSER}/{module}"
    said = said_by([read_module(each) for each in imports_of(name)], spoken)
    texts = json.dumps({spoken: said}, ensure_ascii=False).replace("<", "\\u003c")
    speech = f'modules["{_SAY}"].learn({texts});\nmodules["{_SAY}"].speak("{spoken}");\n'
    return f'{bundle(name)}{speech}modules["{name}"].{call};\n'


def policy_of(script: str) -> str:
    """Let the page's one script run, known by its hash, and nothing else come in.

    Pictures are those that the page makes of itself, to be saved.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
