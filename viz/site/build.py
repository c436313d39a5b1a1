"""Puts the browser's half, its texts and small models together, as files alone."""

import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sample_data.tasks import TASKS
from texts import Language, say, say_of, speaking
from viz.address.selection import default_selection
from viz.alone.build import (
    KERNEL,
    Host,
    as_json,
    document,
    page_alone,
    policy_of,
    script_of,
    style_of,
)
from viz.alone.bundle import bundle
from viz.frame import heads
from viz.frame.source_texts import default_source
from viz.frame.titles import checkpoint_titles
from viz.frame.typing_hints import vocabulary
from viz.models import opening, running, stamps
from viz.models.browser_inputs import model_of
from viz.models.weights import ABOUT, WEIGHTS, read_files
from viz.run.inputs import Inputs
from viz.run.view import View
from viz.site.embeddings import site_embeddings
from viz.site.lessons import lessons_of, pack_steps
from viz.site.map import WireSiteMap, site_map
from viz.site.wire import WireFirst, WireGiven, WireSaid, WireSite, WireSiteModel
from viz.subjects.lessons.page import pack_lessons
from viz.subjects.start.cache import first_question

PAGES = ("", "attention", "map", "touch", "masks", "decoding", "positions", "embeddings")
"""Paths of its pages that show a run, as in the app; the first one is Start."""
LESSONS = "learn"
"""Path of the list of the lessons."""

_HERE = Path(__file__).parent
_VIZ = _HERE.parent
_SHEETS = (
    "frame/bar.css",
    "subjects/start/start.css",
    "subjects/attention/attention.css",
    "subjects/attention/cell.css",
    "subjects/map/map.css",
    "subjects/touch/touch.css",
    "subjects/masks/masks.css",
    "subjects/positions/positions.css",
    "subjects/embeddings/embeddings.css",
    "subjects/decoding/decoding.css",
    "subjects/lessons/lessons.css",
    "lessons/lesson.css",
    "frame/slides.css",
    "site/site.css",
)
_SCRIPT, _WORKER = "site/browser/site.js", "pictures/browser/live/worker.js"
_LECTURE = "site/browser/lecture.js"
_PREVIEW = "preview.jpg"
_SCHEMES = '<meta name="color-scheme" content="light dark">\n'


class Shared(NamedTuple):
    """The addresses of a site and of its project, for links that people share."""

    address: str = ""
    """The address of the site's folder; without one, a shared link has no picture."""
    home: str = ""
    """The address of the project, to which the foot leads; without one, it leads nowhere."""


class SiteError(ValueError):
    """A model of which no site can be made."""


def site_files(
    names: Sequence[str],
    spoken: Sequence[Language],
    lecture: WireGiven | None = None,
    shared: Shared | None = None,
) -> dict[str, bytes]:
    """Return the files of a site by their paths: pages, code, style, models, lessons.

    Raises SiteError where the browser cannot run a model.
    """
    shared = shared or Shared()
    sent = _sent(names, spoken, lecture, shared.home)
    files: dict[str, bytes] = {}
    for name in names:
        parts = _parts(name)
        files |= {f"models/{name}": parts[WEIGHTS], f"models/{name}.json": parts[ABOUT]}
    for language, lessons in sent["lessons"].items():
        for lesson in lessons:
            files[f"lessons/{lesson['id']}.{language}.json"] = as_json(lesson["steps"]).encode()
            lesson["steps"] = None  # they are fetched when they are begun
    if lecture:
        files |= {
            f"slides/{at}.json": as_json(made).encode() for at, made in lecture["pictures"].items()
        }
        sent["lecture"] = {**lecture, "pictures": dict.fromkeys(lecture["pictures"])}
    files |= {
        "site.js": script_of(_modules(lecture), spoken, as_json(sent)).encode(),
        "worker.js": bundle(_WORKER).encode(),
        "site.css": style_of(_SHEETS).encode(),
        "icon.svg": (_VIZ / "frame" / "loupe.svg").read_bytes(),
        "site.webmanifest": _manifest(spoken[0]).encode(),
    }
    for path in (*PAGES, LESSONS):
        page = _page(spoken[0], path, shared)
        files[f"{path}/index.html" if path else "index.html"] = page.encode()
    if shared.address:
        files[_PREVIEW] = (_HERE / _PREVIEW).read_bytes()
    files["offline.js"] = _offline(files).encode()
    return files


def one_file(
    name: str,
    spoken: Sequence[Language],
    lecture: WireGiven | None = None,
    home: str = "",
) -> bytes:
    """Return a page that has all of it inside, and opens from a disk. Raises SiteError as above."""
    sent = _sent([name], spoken, lecture, home)
    parts = _parts(name)
    sent["inside"] = parts[ABOUT].decode()
    weights = {"weights": np.frombuffer(parts[WEIGHTS], np.uint8)}
    host, title = Host(_modules(lecture), _SHEETS, runs_model=True), _title(spoken[0])
    return page_alone(host, spoken, sent, weights, title=title, head=_SCHEMES).encode()


def _view(name: str) -> View:
    info = opening.read_info(name)
    view = running.open_view(Inputs(name, default_source(info), "", "cpu"))
    if model_of(view) is None:
        raise SiteError(f"{name} cannot run in a browser: only small encoder-decoders can")
    return view


def _parts(name: str) -> dict[str, bytes]:
    return read_files(stamps.stamp(name))


def _sent(
    names: Sequence[str], spoken: Sequence[Language], lecture: WireGiven | None, home: str
) -> WireSite:
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
        "home": home,
    }


def _model(name: str, view: View, titles: Mapping[Language, str]) -> WireSiteModel:
    said: dict[str, WireSaid] = {}
    maps: dict[str, WireSiteMap] = {}
    for language in titles:
        with speaking(language):
            maps[language] = site_map(view)
            meta = view.parcel.said["meta"]
            said[language] = {"languages": meta["languages"], "axes": meta["axes"]}
    return {
        "name": name,
        "titles": dict(titles),
        "model": {"key": name, "address": f"models/{name}"},
        "text": view.inputs.source,
        "examples": list(TASKS[view.run.info.task].examples),
        "said": said,
        "map": maps,
        "embeddings": site_embeddings(view),
        "roles": heads.measures(view)["roles"],
        "words": vocabulary(view.run.info),
        "begins": _begins(view),
        "question": first_question(view),
    }


def _begins(view: View) -> WireFirst:
    """Return the row with which the app begins, too."""
    first = default_selection(view.run)
    return {"kind": first.kind, "layer": first.layer, "head": first.head, "query": first.query}


def _modules(lecture: WireGiven | None) -> tuple[str, ...]:
    return (_SCRIPT, _LECTURE) if lecture else (_SCRIPT,)


def _title(language: Language) -> str:
    with speaking(language):
        return say("site.title")


def _page(language: Language, path: str, shared: Shared) -> str:
    """Write a page that asks for the files of the site."""
    root = "../" if path else "./"
    with speaking(language):
        title = say("site.title") if not path else f"{say_of('page', path)} – Loupe"
    described = _described(language, title, path, shared)
    return document(
        language,
        policy=policy_of(
            f"'self' {KERNEL}",
            style="'self'",
            images="'self' ",
            further="worker-src 'self'; connect-src 'self'; manifest-src 'self'; ",
        ),
        title=title,
        head=f'{_SCHEMES}{described}<link rel="stylesheet" href="{root}site.css">'
        f'<link rel="icon" href="{root}icon.svg">'
        f'<link rel="manifest" href="{root}site.webmanifest">',
        code=f'<script type="module" src="{root}site.js"></script>',
    )


def _described(language: Language, title: str, path: str, shared: Shared) -> str:
    """Describe a page to those who see a link to it."""
    with speaking(language):
        about = say("site.description")
    said = {"og:type": "website", "og:title": title, "og:description": about}
    if shared.address:
        root = f"{shared.address.rstrip('/')}/"
        said |= {"og:url": f"{root}{path}/" if path else root, "og:image": f"{root}{_PREVIEW}"}
        said |= {"og:image:width": "1200", "og:image:height": "630"}
    tags = [f'<meta property="{name}" content="{html.escape(to)}">' for name, to in said.items()]
    if shared.address:
        tags.append('<meta name="twitter:card" content="summary_large_image">')
    return f'<meta name="description" content="{html.escape(about)}">' + "".join(tags)


def _manifest(language: Language) -> str:
    icon = {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}
    said = {"name": _title(language), "short_name": "Loupe", "start_url": "./"}
    shown = {"display": "standalone", "icons": [icon]}
    return json.dumps(said | shown, ensure_ascii=False)


def _offline(files: Mapping[str, bytes]) -> str:
    """Write what keeps the site in a browser, under the name of its contents."""
    digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in files.values()))
    paths = ["./" + path.removesuffix("index.html") for path in files]
    code = (_HERE / "offline.js").read_text(encoding="utf-8")
    return code.replace("VERSION", digest.hexdigest()[:16]).replace("[FILES]", json.dumps(paths))
