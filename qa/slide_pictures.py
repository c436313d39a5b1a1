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
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser

from qa.audit.browser import launched, serve, wait
from viz.subjects.lecture.shipped_decks import (
    FOLDER,
    PICTURES,
    SCHEMES,
    picture_file,
    with_view,
)

SCREEN = {"width": 1280, "height": 720}
MOST_DRAWS = 5
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
                drawn = settled(browser, f"{app}/lecture?lang={language}", place, scheme)
                for slide in slides:
                    name = picture_file(slide["id"], language, scheme)
                    svg = with_view(drawn[slide["id"]], slide)
                    (folder / name).write_text(svg, "utf-8")
                    print(f"{len(svg):>7} {name}", flush=True)


def settled(browser: Browser, lecture: str, place: int, scheme: str) -> dict[str, str]:
    """Draw a lecture until each slide has come out the same twice.

    While the machine is busy, the app may keep a slide before its parts have their size.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _ in range(MOST_DRAWS):
        for name, svg in draw(browser, lecture, place, scheme):
            counts[name][renamed(smaller(svg))] += 1
        found = {name: count.most_common(1)[0] for name, count in counts.items()}
        if all(times > 1 for _, times in found.values()):
            return {name: svg for name, (svg, _) in found.items()}
    unsettled = ", ".join(name for name, (_, times) in found.items() if times == 1)
    raise SystemExit(f"{MOST_DRAWS} pictures of a slide must not all differ, got {unsettled}")


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
