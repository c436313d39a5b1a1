"""Draw the pictures of the ready lectures: thumbnails in the app, and views that a site lacks.

python -m qa.slide_pictures [FOLDER]

It gives each lecture in the app, in light and in dark, and takes the pictures that the app keeps.
Run it again after a change of these slides or of what they show: it writes the same files as
before if nothing has changed.
"""

import argparse
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from pathlib import Path

from playwright.sync_api import Browser

from qa.audit.browser import launched, serve, wait
from viz.subjects.lecture.shipped_decks import (
    FOLDER,
    PICTURES,
    SCHEMES,
    picture_file,
    ready_picture,
    with_view,
)

SCREEN = {"width": 1280, "height": 720}
MOST_DRAWS = 3
REPEATED = re.compile(r' (?:font-family="[^"]*"|style="white-space:pre")')
NAME = re.compile(r'( id="|url\((?:&quot;)?#| href="#)([^"&)]+)')


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the pictures of ready lectures.")
    parser.add_argument("folder", nargs="?", type=Path, default=PICTURES)
    folder = parser.parse_args().folder
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as logs, serve(Path(logs)) as app, launched() as browser:
        for path in sorted(FOLDER.glob("*/*.json")):
            language = path.parent.name
            place = [one.name for one in sorted(path.parent.glob("*.json"))].index(path.name)
            slides = json.loads(path.read_text("utf-8"))["slides"]
            for scheme in SCHEMES:
                stored = {
                    slide["id"]: found[scheme]
                    for slide in slides
                    if (found := ready_picture(slide, language))
                }
                lecture = f"{app}/lecture?lang={language}"
                draws = (finished(draw(browser, lecture, place, scheme), slides) for _ in repeat(0))
                for name, svg in settled(draws, stored).items():
                    file = folder / picture_file(name, language, scheme)
                    file.write_text(svg, "utf-8")
                    print(f"{len(svg):>7} {file.name}", flush=True)


def settled(draws: Iterator[dict[str, str]], stored: Mapping[str, str]) -> dict[str, str]:
    """Draw a lecture until each slide has come out as it is stored, or twice the same.

    The app may keep a slide before its letters have their final size, above all one with a chart of
    Plotly's. If a slide comes out differently each time, the stored picture stays as long as it
    has the same words.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, svg in stored.items():
        counts[name][svg] += 1
    for drawn in islice(draws, MOST_DRAWS):
        latest = drawn
        for name, svg in drawn.items():
            counts[name][svg] += 1
        agreed = {name: one for name in drawn for one, n in counts[name].items() if n > 1}
        if agreed.keys() == drawn.keys():
            break
    for name in latest.keys() - agreed.keys():
        stays = words(stored.get(name, "")) == words(latest[name])
        agreed[name] = stored[name] if stays else latest[name]
        print(f"{name} came out differently each time: {'kept' if stays else 'replaced'}")
    return {name: agreed[name] for name in latest}


def words(svg: str) -> list[str]:
    """Return the words of a picture in their order."""
    return re.findall(r">([^<]+)</t", svg)


def finished(
    drawn: Iterable[tuple[str, str]], slides: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """Return pictures as they are stored, by slide, from those that the app keeps."""
    by_name = {slide["id"]: slide for slide in slides}
    return {name: with_view(renamed(smaller(svg)), by_name[name]) for name, svg in drawn}


def draw(browser: Browser, lecture: str, place: int, scheme: str) -> Iterator[tuple[str, str]]:
    """Yield the pictures that the app keeps of a ready lecture, by the names of its slides."""
    context = browser.new_context(viewport=SCREEN, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(lecture)
    page.locator(".loupe-lecture-ways button").nth(place).click()
    page.locator("[data-slide]").first.wait_for()
    page.evaluate("() => { window.print = () => { window.printed = true } }")
    page.locator(".loupe-lecture-tools button", has_text="PDF").click()
    for number in range(1, page.locator("[data-slide]").count() + 1):
        wait(page, f"window.printed || {DRAWN} >= {number}")
    wait(page, "window.printed === true")
    for name, kept in json.loads(page.evaluate("localStorage['loupe.deck.pictures']")).items():
        yield name, kept["svg"]
    context.close()


DRAWN = "Object.keys(JSON.parse(localStorage['loupe.deck.pictures'] ?? '{}')).length"


def smaller(svg: str) -> str:
    """Say once, at the root, what nearly every text of a picture says of itself."""
    counted = Counter(REPEATED.findall(svg))
    family = max((one for one in counted if "font" in one), key=counted.__getitem__, default="")
    space = max((one for one in counted if "style" in one), key=counted.__getitem__, default="")
    for said in filter(None, (family, space)):
        svg = svg.replace(said, "").replace("<svg", f"<svg{said}", 1)
    return svg


def renamed(svg: str) -> str:
    """Number the names of a picture's clips and patterns, which a page makes up each time."""
    names: dict[str, str] = {}
    return NAME.sub(lambda said: said[1] + names.setdefault(said[2], f"part-{len(names)}"), svg)


if __name__ == "__main__":
    main()
