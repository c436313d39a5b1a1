"""The attention of one run as a page of HTML that needs neither a server nor the network."""

import base64
import functools
import hashlib
import html
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from string import Template

from jaxtyping import UInt16
from numpy import ndarray

from viz.frame.look import colour_variables
from viz.pictures.bundle import bundle
from viz.pictures.theme import MONO, SANS
from viz.run.wire import WireChoice, WireMeasures, WireRun
from viz.subjects.attention.wire import WireStandalone

_FOLDER = Path(__file__).parent
_SHEETS = (_FOLDER.parents[1] / "pictures" / "loupe.css", _FOLDER / "attention.css")
_BROWSER = "subjects/attention/browser"


def standalone_page(
    run: WireRun,
    codes: UInt16[ndarray, " size"],
    measures: WireMeasures,
    choice: WireChoice,
    *,
    title: str,
    notes: Sequence[str],
) -> str:
    """Write a page that shows all heads of a run, and of one its weights as a map and as lines.

    Tokens are text in it whatever they contain, and its policy lets no script run but its own.

    Args:
        run: The run without its weights.
        codes: Weights as `viz.run.parcel` codes them, each matrix at full size.
        measures: What every head does, in numbers.
        choice: Head and cell that are in view at first.
        title: Of the page.
        notes: Sentences at its foot.
    """
    sent: WireStandalone = {
        "run": run,
        "codes": base64.b64encode(zlib.compress(codes.astype("<u2").tobytes(), 9)).decode(),
        "measures": measures,
        "choice": choice,
    }
    return _template().substitute(
        policy=_policy(),
        title=html.escape(title),
        colours=f"{colour_variables()} --mono: {MONO};",
        sheets="".join(path.read_text(encoding="utf-8") for path in _SHEETS),
        font=SANS,
        notes="".join(f"<p>{html.escape(note)}</p>" for note in notes),
        sent=json.dumps(sent, ensure_ascii=False).replace("<", "\\u003c"),
        script=_script(),
    )


@functools.cache
def _template() -> Template:
    return Template((_FOLDER / "standalone.html").read_text(encoding="utf-8"))


@functools.cache
def hosting_script() -> str:
    """Give the script for whoever holds such pages in frames: it lends them colours and room."""
    return _calling("frame_host.js", "hostFrames()")


@functools.cache
def widget_module() -> str:
    """Give the module that a widget of a notebook is drawn by."""
    name = f"{_BROWSER}/widget.js"
    return f'{bundle(name)}export default modules["{name}"];\n'


@functools.cache
def _script() -> str:
    return _calling("standalone.js", "begin(document)")


def _calling(module: str, call: str) -> str:
    name = f"{_BROWSER}/{module}"
    return f'{bundle(name)}modules["{name}"].{call};\n'


def _policy() -> str:
    """Let the page's one script run, known by its hash, and nothing else come in."""
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
