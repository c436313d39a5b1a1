"""Draw the pictures that a site shows for slides of the ready lectures whose view it lacks.

python -m qa.slide_pictures [FOLDER]

It gives each lecture in the app, in light and in dark, and takes the pictures that the app keeps.
Run it again after a change of these slides or of what they show.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser

from qa.audit.browser import launched, serve, wait
from viz.models import session
from viz.site.build import PAGES
from viz.site.lecture import read_lecture
from viz.site.slide_pictures import PICTURES, SCHEMES, picture_file, with_view
from viz.subjects.lecture.shipped_decks import FOLDER

SCREEN = {"width": 1280, "height": 720}
REPEATED = re.compile(r' (?:font-family="[^"]*"|style="white-space:pre")')


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the pictures of ready lectures.")
    parser.add_argument("folder", nargs="?", type=Path, default=PICTURES)
    folder = parser.parse_args().folder
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as logs, serve(Path(logs)) as app, launched() as browser:
        for path in sorted(FOLDER.glob("*/*.json")):
            language = path.parent.name
            place = [one.name for one in sorted(path.parent.glob("*.json"))].index(path.name)
            deck = read_lecture(path, session.checkpoint_names()[:1], PAGES)
            slides = json.loads(path.read_text("utf-8"))["slides"]
            for scheme in SCHEMES:
                drawn = dict(draw(browser, f"{app}/lecture?lang={language}", place, scheme))
                for at in deck["elsewhere"]:
                    name = picture_file(slides[at]["id"], language, scheme)
                    svg = with_view(smaller(drawn[slides[at]["id"]]), slides[at])
                    (folder / name).write_text(svg, "utf-8")
                    print(f"{len(svg):>7} {name}", flush=True)


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


if __name__ == "__main__":
    main()
