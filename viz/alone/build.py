"""Writes standalone HTML pages: code, style, texts and data, with one policy."""

import base64
import functools
import hashlib
import html
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import numpy as np

from texts import Language
from viz.alone.bundle import bundle
from viz.pictures.browser_modules import imports_of, read_module, said_by
from viz.pictures.theme import SANS, root_variables

_HERE = Path(__file__).parent
_VIZ = _HERE.parent
_TEMPLATE = Template((_HERE / "page.html").read_text(encoding="utf-8"))
_PAGE, _SAY = "alone/browser/page.js", "pictures/browser/say.js"
_HELD = f'await modules["{_PAGE}"].readSent(document)'
_SHEETS = ("pictures/loupe.css", "alone/alone.css")
_BARE = '<body class="stApp">'
_TYPES = ("u1", "u2", "f4")
KERNEL = "'wasm-unsafe-eval'"
"""Source that lets a page compile WebAssembly; text still cannot become JavaScript."""


class Host(NamedTuple):
    """The common parts of all pages of one kind."""

    modules: tuple[str, ...]
    """Browser modules, by their paths in viz.

    The first one draws the page: `begin(document, sent, modules)`.
    """
    sheets: tuple[str, ...]
    """Its style sheets, by their paths in viz."""
    places: str | None = None
    """The elements for its pictures; None if the module makes all elements itself."""
    runs_model: bool = False
    """Whether it computes, so that its policy allows WebAssembly."""


def page_alone(
    host: Host,
    spoken: Sequence[Language],
    sent: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray] | None = None,
    *,
    title: str,
    notes: Sequence[str] = (),
    head: str = "",
) -> str:
    """Write a page that needs neither a server nor the network.

    Texts in the data stay text, whatever they contain. Only the page's own script runs.

    Args:
        host: The kind of the page.
        spoken: Its languages; the first one is used.
        sent: The data, as JSON values.
        arrays: Arrays of uint8, uint16 or float32, added to the data by name.
        title: The title of the page.
        notes: Sentences in its footer.
        head: Further elements of its head.
    """
    script = script_of(host.modules, spoken)
    packed = {name: (_type_of(array), _deflated(array)) for name, array in (arrays or {}).items()}
    data = as_json({"values": sent, "arrays": packed})
    return document(
        spoken[0],
        policy=policy_of(_hashed(script) + (f" {KERNEL}" if host.runs_model else "")),
        title=title,
        head=f"{head}<style>\n{style_of(host.sheets)}</style>",
        body=_body(host.places, notes),
        code=f'<script type="application/json" id="sent">{data}</script>\n'
        f'<script type="module">{script}</script>',
    )


def document(
    spoken: Language, *, policy: str, title: str, head: str, code: str, body: str = _BARE
) -> str:
    """Fill the template. Escapes policy and title; the other values are HTML."""
    return _TEMPLATE.substitute(
        language=spoken,
        policy=html.escape(policy),
        title=html.escape(title),
        head=head,
        body=body,
        code=code,
    )


def script_of(modules: Sequence[str], spoken: Sequence[Language], sent: str = _HELD) -> str:
    """Write one script with its texts in some languages, which begins with the data.

    Without data in JSON, it reads the data in the page.
    """
    call = f'modules["{modules[0]}"].begin(document, {sent}, modules);\n'
    return f"{_speaking(tuple(modules), tuple(spoken))}{call}"


@functools.cache
def _speaking(modules: tuple[str, ...], spoken: tuple[Language, ...]) -> str:
    codes = [read_module(name) for name in imports_of(_PAGE, *modules)]
    said = as_json({language: said_by(codes, language) for language in spoken})
    learn = f'modules["{_SAY}"].learn({said});\nmodules["{_SAY}"].speak("{spoken[0]}");\n'
    return f"{bundle(_PAGE, *modules)}{learn}"


@functools.cache
def style_of(sheets: tuple[str, ...]) -> str:
    """Join the style sheets of a page: the colours, those of every page, and its own."""
    own = f"{root_variables()}\n.stApp {{ font-family: {SANS}; }}\n"
    return own + "".join((_VIZ / each).read_text(encoding="utf-8") for each in (*_SHEETS, *sheets))


def policy_of(
    script: str, *, style: str = "'unsafe-inline'", images: str = "", further: str = ""
) -> str:
    """Write the policy of a page: nothing is loaded except from the sources given here.

    Pictures that the page makes itself, to be saved, are allowed too.
    """
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; "
        f"img-src {images}data: blob:; {further}base-uri 'none'; form-action 'none'"
    )


def as_json(value: object) -> str:
    r"""Write JSON that cannot end the script around it: `<` is written as \u003c."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _body(places: str | None, notes: Sequence[str]) -> str:
    if places is None:
        return _BARE
    foot = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    return f'<body>\n<div class="stApp">\n<main>{places}</main>\n<footer>{foot}</footer>\n</div>'


def _hashed(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _type_of(array: np.ndarray) -> str:
    name = array.dtype.str[1:]
    if name not in _TYPES:
        raise ValueError(f"an array of a page must be one of {', '.join(_TYPES)}, got {name}")
    return name


def _deflated(array: np.ndarray) -> str:
    """Encode an array for a page: little-endian, deflated, in base64."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(zlib.compress(little.tobytes(), 9)).decode()
