"""Builds a site of plain files from the browser's modules, their texts and small models."""

import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sample_data.one_text.tasks import any_task
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
from viz.frame.titles import checkpoint_titles
from viz.frame.typing_hints import NO_WORDS, knows_words, vocabulary
from viz.models.folders import PREFIX
from viz.models.weights import ABOUT
from viz.run.view import View
from viz.site.embeddings import site_embeddings
from viz.site.lessons import lessons_of, pack_steps
from viz.site.map import WireSiteMap, site_map
from viz.site.models import (
    PAGES,
    TOKENIZERS,
    SiteError,
    address_of,
    check_addresses,
    is_third_party,
    open_view,
    own_files,
    pages_of,
    wire_model,
)
from viz.site.wire import WireFirst, WireGiven, WireSaid, WireSite, WireSiteModel
from viz.subjects.lessons.page import pack_lessons
from viz.subjects.start.cache import first_question

LESSONS = "learn"
"""Path of the page that lists the lessons."""

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
_READER = "pictures/browser/twin/text/foreign_reader.js"
_PREVIEW = "preview.jpg"
_SCHEMES = '<meta name="color-scheme" content="light dark">\n'


class Shared(NamedTuple):
    """The addresses of a site and of its project, for links that people share."""

    address: str = ""
    """The address of the site's folder; without one, a shared link has no picture."""
    home: str = ""
    """The address of the project for the link in the footer; without one, there is no link."""


def site_files(
    names: Sequence[str],
    spoken: Sequence[Language],
    lecture: WireGiven | None = None,
    shared: Shared | None = None,
) -> dict[str, bytes]:
    """Return the files of a site by their paths: pages, code, style, lessons, small models.

    The large files of third-party models come from `models.third_party_files`. Raises SiteError if
    a browser cannot run a model.
    """
    shared = shared or Shared()
    check_addresses(names)
    views = {name: open_view(name) for name in names}
    sent = _sent(views, spoken, lecture, shared.home)
    files: dict[str, bytes] = {}
    for name in names:
        if not is_third_party(name):
            files |= own_files(name)
        else:
            files[TOKENIZERS] = _tokenizers().encode()
    for language, lessons in sent["lessons"].items():
        for lesson in lessons:
            files[f"lessons/{lesson['id']}.{language}.json"] = as_json(lesson["steps"]).encode()
            lesson["steps"] = None  # fetched when the lesson begins
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
    """Return a page that contains everything and opens from a disk. Raises SiteError as above."""
    if is_third_party(name):
        raise SiteError(
            f"one file can hold only a small checkpoint of Loupe; write {name} into a folder"
        )
    view = open_view(name)
    sent = _sent({name: view}, spoken, lecture, home)
    parts = own_files(name)
    sent["inside"] = parts[f"{address_of(name)}.{ABOUT}"].decode()
    weights = {"weights": np.frombuffer(parts[address_of(name)], np.uint8)}
    host, title = Host(_modules(lecture), _SHEETS, runs_model=True), _title(spoken[0])
    return page_alone(host, spoken, sent, weights, title=title, head=_SCHEMES).encode()


def _tokenizers() -> str:
    """Write the module that reads third-party tokenizers."""
    export = f'export const {{ readForeign }} = modules["{_READER}"];\n'
    return bundle(_READER) + export


def _sent(
    views: Mapping[str, View],
    spoken: Sequence[Language],
    lecture: WireGiven | None,
    home: str,
) -> WireSite:
    """Describe the models and the words about their runs, in each language, and the lessons."""
    names = [*views]
    lessons = lessons_of(names, PAGES)
    titles, listed = {}, {}
    for language in spoken:
        with speaking(language):
            titles[language] = _titles(names)
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


def _titles(names: Sequence[str]) -> dict[str, str]:
    own = checkpoint_titles([name for name in names if not is_third_party(name)])
    return {name: own.get(name) or name.removeprefix(PREFIX) for name in names}


def _model(name: str, view: View, titles: Mapping[Language, str]) -> WireSiteModel:
    pages, task = pages_of(view), any_task(view.run.info.task)
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
        "model": wire_model(name),
        "pages": pages,
        "text": view.inputs.source,
        "examples": list(task.examples) if task else [view.inputs.source],
        "said": said,
        "map": maps,
        "embeddings": site_embeddings(view) if "embeddings" in pages else None,
        "roles": heads.measures(view)["roles"],
        "words": vocabulary(view.run.info) if knows_words(view.run.info) else NO_WORDS,
        "begins": _begins(view),
        "question": first_question(view) if "" in pages else None,
    }


def _begins(view: View) -> WireFirst:
    """Return the row selected first, as in the app."""
    first = default_selection(view.run)
    return {"kind": first.kind, "layer": first.layer, "head": first.head, "query": first.query}


def _modules(lecture: WireGiven | None) -> tuple[str, ...]:
    return (_SCRIPT, _LECTURE) if lecture else (_SCRIPT,)


def _title(language: Language) -> str:
    with speaking(language):
        return say("site.title")


def _page(language: Language, path: str, shared: Shared) -> str:
    """Write a page that loads the files of the site."""
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
    """Describe a page for previews of links to it."""
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
    """Write the script that keeps the site in a browser, under a hash of its contents."""
    digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in files.values()))
    paths = ["./" + path.removesuffix("index.html") for path in files]
    code = (_HERE / "offline.js").read_text(encoding="utf-8")
    return code.replace("VERSION", digest.hexdigest()[:16]).replace("[FILES]", json.dumps(paths))
