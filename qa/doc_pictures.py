"""Draw the pictures of the README and the gallery from the running app.

python -m qa.doc_pictures [NAME ...]

A name is one of docs/gallery/, `touch.gif`, the moving picture of the README, or `preview.jpg`, the
picture beside a shared link of a site; without names it draws all. Run
it again after a change of the pages, and look at the pictures.
"""

import argparse
import io
import math
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Locator, Page

from qa.audit.browser import PATIENCE, ROOT, launched, serve, wait

GALLERY = ROOT / "docs" / "gallery"
MOVING = ROOT / "docs" / "touch.gif"
PREVIEW = ROOT / "viz" / "site" / "preview.jpg"
IT = "kind=encoder+self-attention&layer=1&head=3&query=8&key=1"
"""The word "it" in the head that reads "animal" from it."""
STREET = "edits=point!encoder.layers.*.self_attn.weights;r8;c6"
"""All heads read "street" from it instead."""


def give_lecture(page: Page) -> None:
    """Start the ready lecture at its sixth slide."""
    page.locator(".loupe-lecture-ways button").first.click()
    page.get_by_role("button", name="Give the lecture from here").nth(5).click()


class View(NamedTuple):
    """A picture of the gallery: its link, and the actions on the page."""

    link: str
    act: Callable[[Page], None] | None = None


VIEWS = {
    "start": View("?scene=softmax&guess=1"),
    "learn": View("attention?lesson=which-word&part=2"),
    "induction": View("induction?checkpoint=induction-two-heads"),
    "attention": View(f"attention?{IT}"),
    "map": View("map"),
    "touch": View(f"touch?{IT}&{STREET}"),
    "masks": View("masks"),
    "variants": View("variants"),
    "decoding": View("decoding"),
    "positions": View("positions"),
    "embeddings": View("embeddings"),
    "mattered": View("mattered"),
    "corpus": View(f"corpus?{IT}"),
    "compare": View(f"compare?{IT}"),
    "training": View("training"),
    "lecture": View("lecture", give_lecture),
}
SCREEN = {"width": 1000, "height": 860}
PREVIEW_SCREEN = {"width": 1200, "height": 630}
SCALE = 1.28
"""Makes the pictures 1280 pixels wide, with type that can be read in a narrower column."""
HAND_SCREEN = {"width": 900, "height": 1000}
HAND_HEIGHT, HAND_SCALE = 543, 2
"""The part of the page that the moving picture shows, and its magnification."""
FIRST_MS, FRAME_MS, PRESS_MS, HELD_MS, LAST_MS = 1300, 80, 400, 1000, 3100
"""The duration of a frame: the first, one of a movement, at the press, before the release, the
last. Together they take ten seconds."""
COLOURS = 96
STILL_MS = 300
"""The pause between two looks at a page that may still change."""
ARROW = ((0, 0), (0, 21), (5, 16), (9, 25), (13, 23), (9, 15), (16, 15))
RING = (193, 89, 0)
FINE = 4
"""The factor by which the pointer is drawn larger, for smooth edges."""


class Point(NamedTuple):
    """A place on the page, in its pixels."""

    x: float
    y: float


def main() -> None:
    known = (MOVING.name, PREVIEW.name, *VIEWS)
    parser = argparse.ArgumentParser(description="Draw the pictures of the docs.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    names = parser.parse_args().names or known
    if wrong := set(names) - set(known):
        parser.error(f"{wrong.pop()} is not the name of a picture")
    with tempfile.TemporaryDirectory() as logs, serve(Path(logs)) as app, launched() as browser:
        for name in names:
            draw = {MOVING.name: draw_moving, PREVIEW.name: draw_preview}.get(name, draw_view)
            path = draw(browser, app, name)
            print(f"{path.stat().st_size:>8} {path.relative_to(ROOT)}", flush=True)


def draw_view(browser: Browser, app: str, name: str) -> Path:
    """Draw a picture of the gallery."""
    link, act = VIEWS[name]
    with opened(browser, f"{app}/{link}", SCREEN, SCALE) as page:
        if act:
            act(page)
        picture = at_rest(page)
    path = GALLERY / f"{name}.webp"
    path.parent.mkdir(exist_ok=True)
    picture.save(path, lossless=True, quality=100, method=6)
    return path


def draw_preview(browser: Browser, app: str, _name: str) -> Path:
    """Draw the picture of a shared link: the lines that Start draws, in the usual size."""
    with opened(browser, f"{app}/?scene=answer&embed=true", PREVIEW_SCREEN, 1) as page:
        picture = at_rest(page)
    picture.convert("RGB").save(PREVIEW, quality=85, optimize=True)
    return PREVIEW


def draw_moving(browser: Browser, app: str, _name: str) -> Path:
    """Draw how a line is dragged from one word to another, and how the translation changes."""
    with opened(browser, f"{app}/touch?{IT}", HAND_SCREEN, HAND_SCALE) as page:
        tools = page.locator(".loupe-touch-tools")
        tools.locator("summary").click()
        tools.locator("[data-value=head]").click()
        tools.locator("summary").click()
        # It appears under the pointer, half in the picture.
        page.locator(".loupe-save").evaluate_all("all => all.map(one => one.remove())")
        frames = list(drag(page))
    pictures = with_one_palette([picture for picture, _ in frames])
    times = [milliseconds for _, milliseconds in frames]
    first, *others = pictures
    first.save(MOVING, save_all=True, append_images=others, duration=times, loop=0, optimize=False)
    print(f"{sum(times) / 1000:.1f} seconds in {len(times)} frames")
    return MOVING


def drag(page: Page) -> Iterator[tuple[Image.Image, int]]:
    """Drag the line from "animal" to "street"; yield frames and their durations."""
    hand = page.locator(".loupe-touch")
    end = middle(page.locator(".loupe-touch-end[data-key='1']"))
    street = middle(page.locator(".loupe-touch-keys li[data-key='6'] button"))
    start = Point(end.x + 430, end.y + 300)
    page.mouse.move(*start)

    def frame(at: Point, picture: Image.Image, *, pressed: bool = False) -> Image.Image:
        """Cut a frame out of the page and draw the pointer in it."""
        corner = hand.bounding_box()
        assert corner
        left, top = 0, round(corner["y"]) - 8
        whole = (left, top, HAND_SCREEN["width"], top + HAND_HEIGHT)
        cut = picture.crop(tuple(side * HAND_SCALE for side in whole))
        return with_pointer(cut, Point(at.x, at.y - top), pressed=pressed)

    yield frame(start, at_rest(page)), FIRST_MS
    for at in path_of(start, end, 12):
        page.mouse.move(*at)
        yield frame(at, drawn(page)), FRAME_MS
    page.mouse.down()
    yield frame(end, drawn(page), pressed=True), PRESS_MS
    for at in path_of(end, street, 40):
        page.mouse.move(*at)
        yield frame(at, drawn(page), pressed=True), FRAME_MS
    yield frame(street, at_rest(page), pressed=True), HELD_MS
    page.mouse.up()
    page.wait_for_url("**edits=point**")
    street = middle(page.locator(".loupe-touch-keys li[data-key='6'] button"))
    yield frame(street, at_rest(page)), LAST_MS


@contextmanager
def opened(browser: Browser, link: str, size: dict[str, int], scale: float) -> Iterator[Page]:
    """Open a page of the app without its sidebar."""
    context = browser.new_context(
        viewport=size,
        device_scale_factor=scale,
        color_scheme="light",
        reduced_motion="reduce",
        locale="en-US",
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(link)
    at_rest(page)
    page.locator("[data-testid=stSidebar]").hover()
    page.locator("[data-testid=stSidebarCollapseButton] button").click()
    page.mouse.move(0, 0)
    at_rest(page)
    yield page
    context.close()


def at_rest(page: Page) -> Image.Image:
    """Return a screenshot once the app is idle and nothing changes any more."""
    seen = None
    while True:
        wait(page, "document.querySelector('[data-test-script-state=notRunning]') !== null")
        page.wait_for_timeout(STILL_MS)
        last, seen = seen, shot(page)
        if last and last.tobytes() == seen.tobytes():
            return seen


def drawn(page: Page) -> Image.Image:
    """Return a screenshot once the page has drawn the last movement of the pointer."""
    page.evaluate("new Promise((say) => requestAnimationFrame(() => requestAnimationFrame(say)))")
    return shot(page)


def shot(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def middle(part: Locator) -> Point:
    box = part.bounding_box()
    assert box
    return Point(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def path_of(start: Point, end: Point, steps: int) -> Iterator[Point]:
    """Yield the places of a hand that starts and stops gently."""
    for step in range(1, steps + 1):
        gone = (1 - math.cos(math.pi * step / steps)) / 2
        yield Point(start.x + gone * (end.x - start.x), start.y + gone * (end.y - start.y))


def with_pointer(picture: Image.Image, at: Point, *, pressed: bool) -> Image.Image:
    """Draw a pointer on a picture, in a ring while its button is pressed."""
    unit = HAND_SCALE * FINE
    large = Image.new("RGBA", (64 * unit, 64 * unit))
    draw = ImageDraw.Draw(large)
    if pressed:
        ring = (14 * unit, 14 * unit, 50 * unit, 50 * unit)
        draw.ellipse(ring, fill=(*RING, 50), outline=(*RING, 255), width=2 * unit)
    outline = [((32 + x) * unit, (32 + y) * unit) for x, y in ARROW]
    draw.polygon(outline, fill="black")
    draw.line([*outline, *outline[:2]], fill="white", width=2 * unit, joint="curve")
    side = 64 * HAND_SCALE
    small = large.resize((side, side), Image.Resampling.LANCZOS)
    place = (round(at.x * HAND_SCALE) - side // 2, round(at.y * HAND_SCALE) - side // 2)
    picture.paste(small, place, small)
    return picture


def with_one_palette(pictures: list[Image.Image]) -> list[Image.Image]:
    """Return pictures in the same few colours, those of the first, the middle and the last."""
    told = [pictures[0], pictures[len(pictures) // 2], pictures[-2], pictures[-1]]
    width, height = told[0].size
    sheet = Image.new("RGB", (width, height * len(told)))
    for place, picture in enumerate(told):
        sheet.paste(picture, (0, place * height))
    palette = sheet.quantize(COLOURS, dither=Image.Dither.NONE)
    return [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures]


if __name__ == "__main__":
    main()
