"""The attention of one run as a page of HTML that needs neither a server nor the network."""

import functools
import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from jaxtyping import Float32, UInt16
from numpy import ndarray

from texts import Language, language, say
from viz.heads.wire import WireMeasures
from viz.pictures.bundle import bundle
from viz.pictures.own_page import deflated, policy_of, speaking_script
from viz.pictures.theme import MONO, SANS, colour_variables
from viz.run.wire import WireChoice, WireRun, WireSelection
from viz.subjects.attention.wire import WireStandalone

_FOLDER = Path(__file__).parent
_SHEETS = (
    _FOLDER.parents[1] / "pictures" / "loupe.css",
    _FOLDER / "attention.css",
    _FOLDER / "cell.css",
)
_BROWSER = "subjects/attention/browser"


def standalone_page(
    run: WireRun,
    codes: UInt16[ndarray, " size"],
    measures: WireMeasures,
    selection: WireSelection,
    *,
    title: str,
    notes: Sequence[str],
    numbers: Float32[ndarray, " number"] | None = None,
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
        numbers: Of the tensors that the run names, from which its cells are computed.
        said: Where all of it comes from. With it the page saves its pictures itself.
    """
    spoken = language()
    script = _script(spoken, with_cells=numbers is not None)
    sent: WireStandalone = {
        "run": run,
        "codes": deflated(codes.astype("<u2").tobytes()),
        "measures": measures,
        "choice": _first(selection),
        "numbers": None if numbers is None else deflated(numbers.astype("<f4").tobytes()),
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
        return speaking_script(spoken, f"{_BROWSER}/offline.js", "beginOffline(document)")
    return speaking_script(spoken, f"{_BROWSER}/standalone.js", "begin(document)")
