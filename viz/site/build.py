"""Puts the browser's half, its texts and small models together, as files alone."""

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from sample_data.tasks import TASKS
from texts import Language, say, speaking
from viz.frame import heads
from viz.frame.controls import default_source
from viz.frame.styles import colour_variables
from viz.frame.titles import checkpoint_titles
from viz.frame.typing_hints import vocabulary
from viz.pictures.browser_modules import imports_of, read_module, said_by
from viz.pictures.bundle import bundle
from viz.pictures.theme import MONO, SANS
from viz.run import session
from viz.run.inputs import model_of
from viz.run.view import Inputs, View
from viz.run.weights import ABOUT, WEIGHTS, read_files
from viz.site.wire import WireSaid, WireSite, WireSiteModel
from viz.subjects.attention.standalone import policy_of
from viz.subjects.start.cache import first_question

PAGES = ("", "attention", "touch", "decoding")
"""Paths of its pages, as in the app; the first one is Start."""

_HERE = Path(__file__).parent
_VIZ = _HERE.parent
_SHEETS = (
    "pictures/loupe.css",
    "frame/bar.css",
    "subjects/start/start.css",
    "subjects/attention/attention.css",
    "subjects/attention/cell.css",
    "subjects/touch/touch.css",
    "subjects/decoding/decoding.css",
    "site/site.css",
)
_SCRIPT, _WORKER = "site/browser/site.js", "pictures/browser/live/worker.js"
_SAY = "pictures/browser/say.js"


class SiteError(ValueError):
    """A model of which no site can be made."""


def site_files(names: Sequence[str], spoken: Sequence[Language]) -> dict[str, bytes]:
    """Return the files of a site by their paths: pages, code, style, models.

    Raises SiteError where the browser cannot run a model.
    """
    views = {name: _view(name) for name in names}
    models: dict[str, bytes] = {}
    for name in names:
        parts = _parts(name)
        models |= {f"models/{name}": parts[WEIGHTS], f"models/{name}.json": parts[ABOUT]}
    files: dict[str, bytes] = {
        "site.js": _script(spoken).encode(),
        "worker.js": bundle(_WORKER).encode(),
        "site.css": _style().encode(),
        "icon.svg": (_VIZ / "frame" / "loupe.svg").read_bytes(),
        "site.webmanifest": _manifest(spoken[0]).encode(),
        **models,
    }
    for path in PAGES:
        root = "../" if path else "./"
        sent = _sent(views, spoken, {name: f"{root}models/{name}" for name in names})
        page = _page(sent, spoken[0], root=root)
        files[f"{path}/index.html" if path else "index.html"] = page.encode()
    files["offline.js"] = _offline(files).encode()
    return files


def one_file(name: str, spoken: Sequence[Language]) -> bytes:
    """Return a page that has all of it inside, and opens from a disk. Raises SiteError as above."""
    sent = _sent({name: _view(name)}, spoken, {name: ""})
    sent["inside"] = {end: base64.b64encode(part).decode() for end, part in _parts(name).items()}
    return _page(sent, spoken[0], script=_script(spoken)).encode()


def _view(name: str) -> View:
    info = session.read_info(name)
    view = session.open_view(Inputs(name, default_source(info), "", "cpu"))
    if model_of(view) is None:
        raise SiteError(f"{name} cannot run in a browser: only small encoder-decoders can")
    return view


def _parts(name: str) -> dict[str, bytes]:
    return read_files(session.stamp(name))


def _sent(
    views: Mapping[str, View], spoken: Sequence[Language], addresses: Mapping[str, str]
) -> WireSite:
    """Describe the models, and what Python says of their runs, in each language."""
    titles = {}
    for language in spoken:
        with speaking(language):
            titles[language] = checkpoint_titles(list(views))
    return {
        "languages": list(spoken),
        "models": [
            _model(name, view, {to: titles[to][name] for to in spoken}, addresses[name])
            for name, view in views.items()
        ],
        "inside": None,
    }


def _model(name: str, view: View, titles: Mapping[Language, str], address: str) -> WireSiteModel:
    said: dict[str, WireSaid] = {}
    for language in titles:
        with speaking(language):
            meta = view.parcel.said["meta"]
            said[language] = {"languages": meta["languages"], "axes": meta["axes"]}
    return {
        "name": name,
        "titles": dict(titles),
        "model": {"key": name, "address": address},
        "text": view.inputs.source,
        "examples": list(TASKS[view.run.info.task].examples),
        "said": said,
        "roles": heads.measures(view)["roles"],
        "words": vocabulary(view.run.info),
        "question": first_question(view),
    }


def _script(spoken: Sequence[Language]) -> str:
    codes = [read_module(name) for name in imports_of(_SCRIPT)]
    said = {
        language: said_by(codes, language) for language in {"en": None, **dict.fromkeys(spoken)}
    }
    texts = json.dumps(said, ensure_ascii=False).replace("<", "\\u003c")
    learn = f'modules["{_SAY}"].learn({texts});\n'
    return f'{bundle(_SCRIPT)}{learn}modules["{_SCRIPT}"].begin(document);\n'


def _style() -> str:
    own = f".stApp {{ {colour_variables()} --mono: {MONO}; font-family: {SANS}; }}\n"
    return own + "".join((_VIZ / sheet).read_text(encoding="utf-8") for sheet in _SHEETS)


def _page(sent: WireSite, language: Language, *, root: str = "", script: str = "") -> str:
    """Write a page; with a script all that it needs is in it."""
    with speaking(language):
        title = say("site.title")
    if script:
        policy = policy_of(script)
        head = f"<style>{_style()}</style>"
        code = f'<script type="module">{script}</script>'
    else:
        policy = (
            "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; "
            "img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; "
            "base-uri 'none'; form-action 'none'"
        )
        head = (
            f'<link rel="stylesheet" href="{root}site.css">'
            f'<link rel="icon" href="{root}icon.svg">'
            f'<link rel="manifest" href="{root}site.webmanifest">'
        )
        code = f'<script type="module" src="{root}site.js"></script>'
    return Template((_HERE / "page.html").read_text(encoding="utf-8")).substitute(
        language=language,
        policy=html.escape(policy),
        title=html.escape(title),
        head=head,
        sent=json.dumps(sent, ensure_ascii=False).replace("<", "\\u003c"),
        code=code,
    )


def _manifest(language: Language) -> str:
    with speaking(language):
        name = say("site.title")
    icon = {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}
    said = {"name": name, "short_name": "Loupe", "start_url": "./", "display": "standalone"}
    return json.dumps({**said, "icons": [icon]}, ensure_ascii=False)


def _offline(files: Mapping[str, bytes]) -> str:
    """Write what keeps the site in a browser, under the name of its contents."""
    digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in files.values()))
    paths = ["./" + path.removesuffix("index.html") for path in files]
    code = (_HERE / "offline.js").read_text(encoding="utf-8")
    return code.replace("VERSION", digest.hexdigest()[:16]).replace("[FILES]", json.dumps(paths))
