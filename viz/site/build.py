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
from viz.address.selection import default_selection
from viz.frame import heads
from viz.frame.source_texts import default_source
from viz.frame.titles import checkpoint_titles
from viz.frame.typing_hints import vocabulary
from viz.models import opening, running, stamps
from viz.models.browser_inputs import model_of
from viz.models.weights import ABOUT, WEIGHTS, read_files
from viz.pictures.browser_modules import imports_of, read_module, said_by
from viz.pictures.bundle import bundle
from viz.pictures.own_page import policy_of
from viz.pictures.theme import SANS, root_variables
from viz.run.inputs import Inputs
from viz.run.view import View
from viz.site.lessons import lessons_of, pack_steps
from viz.site.wire import WireFirst, WireGiven, WireSaid, WireSite, WireSiteModel
from viz.subjects.lessons.page import pack_lessons
from viz.subjects.start.cache import first_question

PAGES = ("", "attention", "touch", "decoding")
"""Paths of its pages that show a run, as in the app; the first one is Start."""
LESSONS = "learn"
"""Path of the list of the lessons."""

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
    "subjects/lessons/lessons.css",
    "frame/lesson.css",
    "frame/slides.css",
    "site/site.css",
)
_SCRIPT, _WORKER = "site/browser/site.js", "pictures/browser/live/worker.js"
_LECTURE = "site/browser/lecture.js"
_SAY = "pictures/browser/say.js"


class SiteError(ValueError):
    """A model of which no site can be made."""


def site_files(
    names: Sequence[str], spoken: Sequence[Language], lecture: WireGiven | None = None
) -> dict[str, bytes]:
    """Return the files of a site by their paths: pages, code, style, models, lessons.

    Raises SiteError where the browser cannot run a model.
    """
    sent = _sent(names, spoken, lecture)
    files: dict[str, bytes] = {}
    for name in names:
        parts = _parts(name)
        files |= {f"models/{name}": parts[WEIGHTS], f"models/{name}.json": parts[ABOUT]}
    for language, lessons in sent["lessons"].items():
        for lesson in lessons:
            files[f"lessons/{lesson['id']}.{language}.json"] = _json(lesson["steps"]).encode()
            lesson["steps"] = None  # they are fetched when they are begun
    if lecture:
        files |= {
            f"slides/{at}.json": _json(made).encode() for at, made in lecture["pictures"].items()
        }
        sent["lecture"] = {**lecture, "pictures": dict.fromkeys(lecture["pictures"])}
    files |= {
        "site.js": _script(spoken, sent).encode(),
        "worker.js": bundle(_WORKER).encode(),
        "site.css": _style().encode(),
        "icon.svg": (_VIZ / "frame" / "loupe.svg").read_bytes(),
        "site.webmanifest": _manifest(spoken[0]).encode(),
    }
    for path in (*PAGES, LESSONS):
        page = _page(spoken[0], root="../" if path else "./")
        files[f"{path}/index.html" if path else "index.html"] = page.encode()
    files["offline.js"] = _offline(files).encode()
    return files


def one_file(name: str, spoken: Sequence[Language], lecture: WireGiven | None = None) -> bytes:
    """Return a page that has all of it inside, and opens from a disk. Raises SiteError as above."""
    sent = _sent([name], spoken, lecture)
    sent["inside"] = {end: base64.b64encode(part).decode() for end, part in _parts(name).items()}
    return _page(spoken[0], script=_script(spoken, sent)).encode()


def _view(name: str) -> View:
    info = opening.read_info(name)
    view = running.open_view(Inputs(name, default_source(info), "", "cpu"))
    if model_of(view) is None:
        raise SiteError(f"{name} cannot run in a browser: only small encoder-decoders can")
    return view


def _parts(name: str) -> dict[str, bytes]:
    return read_files(stamps.stamp(name))


def _sent(names: Sequence[str], spoken: Sequence[Language], lecture: WireGiven | None) -> WireSite:
    """Describe the models, and what Python says of their runs, in each language; the lessons."""
    views = {name: _view(name) for name in names}
    lessons = lessons_of(names, PAGES)
    titles, listed = {}, {}
    for language in spoken:
        with speaking(language):
            titles[language] = checkpoint_titles(list(names))
            packed = pack_lessons(lessons, None)["lessons"]
        steps = [pack_steps(lesson, language) for lesson in lessons]
        listed[language] = [{**one, "steps": of} for one, of in zip(packed, steps, strict=True)]
    return {
        "languages": list(spoken),
        "models": [
            _model(name, view, {to: titles[to][name] for to in spoken})
            for name, view in views.items()
        ],
        "lessons": listed,
        "lecture": lecture,
        "inside": None,
    }


def _model(name: str, view: View, titles: Mapping[Language, str]) -> WireSiteModel:
    said: dict[str, WireSaid] = {}
    for language in titles:
        with speaking(language):
            meta = view.parcel.said["meta"]
            said[language] = {"languages": meta["languages"], "axes": meta["axes"]}
    return {
        "name": name,
        "titles": dict(titles),
        "model": {"key": name, "address": f"models/{name}"},
        "text": view.inputs.source,
        "examples": list(TASKS[view.run.info.task].examples),
        "said": said,
        "roles": heads.measures(view)["roles"],
        "words": vocabulary(view.run.info),
        "begins": _begins(view),
        "question": first_question(view),
    }


def _begins(view: View) -> WireFirst:
    """Return the row with which the app begins, too."""
    first = default_selection(view.run)
    return {"kind": first.kind, "layer": first.layer, "head": first.head, "query": first.query}


def _script(spoken: Sequence[Language], sent: WireSite) -> str:
    parts = (_SCRIPT, _LECTURE) if sent["lecture"] else (_SCRIPT,)
    codes = [read_module(name) for name in imports_of(*parts)]
    said = {
        language: said_by(codes, language) for language in {"en": None, **dict.fromkeys(spoken)}
    }
    learn = f'modules["{_SAY}"].learn({_json(said)});\n'
    begin = f'modules["{_SCRIPT}"].begin(document, {_json(sent)}, modules["{_LECTURE}"]);\n'
    return f"{bundle(*parts)}{learn}{begin}"


def _json(sent: object) -> str:
    return json.dumps(sent, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _style() -> str:
    own = f"{root_variables()}\n.stApp {{ font-family: {SANS}; }}\n"
    return own + "".join((_VIZ / sheet).read_text(encoding="utf-8") for sheet in _SHEETS)


def _page(language: Language, *, root: str = "", script: str = "") -> str:
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
