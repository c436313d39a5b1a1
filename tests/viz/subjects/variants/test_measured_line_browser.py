"""The slide on loss shows the loss and accuracy of both models as their files record them."""

import json

import pytest
from playwright.sync_api import Browser, expect

from model.checkpoints.checkpoint_files import read_info
from tests.browsing import open_page
from tests.checkpoints import SHIPPED, VARIANTS
from texts import LANGUAGES, Language
from viz.subjects.lecture.shipped_decks import FOLDER

SCREEN = {"width": 1280, "height": 720}


def slide(spoken: Language) -> dict[str, str]:
    deck = json.loads((FOLDER / spoken / "inside_a_transformer.json").read_text("utf-8"))
    return next(each for each in deck["slides"] if each["link"].startswith("variants?"))


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_loss_and_share_right_are_visible_in_presenter_mode(
    browser: Browser, shipped_address: str, spoken: Language
):
    link = f"{slide(spoken)['link']}&presenter=true&lang={spoken}"
    with open_page(browser, f"{shipped_address}/{link}") as page:
        page.set_viewport_size(SCREEN)
        line = page.locator(f".st-key-{slide(spoken)['panel']} .variants-measured")
        expect(line).to_be_visible()
        said = line.inner_text().replace("\u202f", " ").replace("\u00a0", " ")
    for variant in ("paper", "headlist"):
        scores = read_info(SHIPPED / VARIANTS[variant]).scores
        right = f"{round(100 * float(scores['exact_match']), 1):g}%"
        for number in (f"{float(scores['loss']):.2f}", right):
            wanted = number.replace(".", ",").replace("%", " %") if spoken == "fr" else number
            assert wanted in said


def test_the_low_loss_is_of_the_model_that_is_never_right():
    paper, ahead = (read_info(SHIPPED / VARIANTS[name]).scores for name in ("paper", "headlist"))
    assert float(ahead["loss"]) < float(paper["loss"]) + 0.02
    assert float(ahead["exact_match"]) < 0.01
    assert float(paper["exact_match"]) > 0.9
