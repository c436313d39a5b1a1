"""Glossary terms in a real browser: they open by pointer, keyboard and tap, and close again."""

import json
from contextlib import AbstractContextManager

from playwright.sync_api import Browser, Page, expect

from tests.browsing import library
from viz.pictures import glossary
from viz.pictures.tokens import note

SCRIPT = """
import { createLoupe } from "/pictures/browser/explorer.js";
import { components, term } from "/pictures/browser/glossary.js";
const loupe = createLoupe(document);
const parentElement = document.createElement("div");
document.body.append(parentElement);
const data = { terms: TERMS };
window.end = loupe.mount("glossary", components.glossary, { data, parentElement });
window.again = (text) => (document.getElementById("text").innerHTML = text);
document.body.append(term("head", "drawn"));
window.tell = loupe.tell;
window.ready = true;
"""
TEXT = note(glossary.explained("The softmax of each head makes weights."))
WORDS = {term["key"]: term["text"] for term in glossary.wire_terms()}


def terms(browser: Browser, **context: object) -> AbstractContextManager[Page]:
    body = f'<div class="stApp"><div id="text">{TEXT}</div><p>Elsewhere</p></div>'
    script = SCRIPT.replace("TERMS", json.dumps(glossary.wire_terms()))
    return library(browser, body, script, until="window.ready", **context)


def asked(page: Page, key: str):
    return page.locator(f'#text [data-term="{key}"]')


def test_a_term_answers_the_pointer_and_its_answer_can_be_pointed_at(browser: Browser):
    with terms(browser) as page:
        answer = page.get_by_role("tooltip")
        asked(page, "softmax").hover()
        expect(answer).to_contain_text(WORDS["softmax"])
        expect(asked(page, "softmax")).to_have_accessible_description(f"softmax {WORDS['softmax']}")
        answer.hover()
        page.wait_for_timeout(600)
        expect(answer).to_be_visible()
        page.get_by_text("Elsewhere").hover()
        expect(answer).to_be_hidden()
        page.get_by_text("drawn", exact=True).hover()
        expect(answer).to_contain_text(WORDS["head"])


def test_a_term_answers_the_keyboard_and_escape_closes_it(browser: Browser):
    with terms(browser) as page:
        answer = page.get_by_role("tooltip")
        page.keyboard.press("Tab")
        expect(asked(page, "softmax")).to_be_focused()
        expect(answer).to_contain_text(WORDS["softmax"])
        expect(asked(page, "softmax")).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("Escape")
        expect(answer).to_be_hidden()
        expect(asked(page, "softmax")).to_have_attribute("aria-expanded", "false")
        page.keyboard.press("Enter")
        expect(answer).to_contain_text(WORDS["softmax"])
        page.keyboard.press("Tab")
        expect(answer).to_contain_text(WORDS["head"])


def test_a_term_answers_a_tap_and_a_tap_elsewhere_closes_it(browser: Browser):
    size = {"width": 390, "height": 844}
    with terms(browser, has_touch=True, is_mobile=True, viewport=size) as page:
        answer = page.get_by_role("tooltip")
        asked(page, "head").tap()
        expect(answer).to_contain_text(WORDS["head"])
        box = answer.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= page.evaluate("innerWidth")
        page.get_by_text("Elsewhere").tap()
        expect(answer).to_be_hidden()
        asked(page, "head").tap()
        asked(page, "head").tap()
        expect(answer).to_be_hidden()


def test_terms_that_are_drawn_again_answer_too_and_an_old_answer_goes(browser: Browser):
    with terms(browser) as page:
        answer = page.get_by_role("tooltip")
        asked(page, "softmax").click()
        expect(answer).to_be_visible()
        page.evaluate("text => again(text)", str(glossary.term("mask")))
        page.evaluate("tell('selection')")
        expect(answer).to_be_hidden()
        asked(page, "mask").click()
        expect(answer).to_contain_text(WORDS["mask"])


def test_all_terms_are_listed_and_the_list_gives_the_focus_back(browser: Browser):
    with terms(browser) as page:
        opener = page.get_by_role("button", name="Glossary")
        opener.click()
        listed = page.get_by_role("dialog", name="Terms in plain words")
        for term in glossary.wire_terms():
            expect(listed.get_by_text(term["text"], exact=True)).to_have_count(1)
        page.keyboard.press("Escape")
        expect(listed).to_be_hidden()
        expect(opener).to_be_focused()


def test_what_leaves_the_page_takes_its_answers_along(browser: Browser):
    with terms(browser) as page:
        asked(page, "softmax").click()
        page.evaluate("end()")
        expect(page.get_by_role("tooltip")).to_have_count(0)
        asked(page, "head").click()
        expect(page.get_by_role("tooltip")).to_have_count(0)
