"""The player without Python in a real browser: taking another token, and drawing a sample."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.checkpoints import DEFAULT, load_shipped
from tests.shipped import PAPER
from tests.viz.own_page import own_page
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.decoding.paths import DecodedPath, decode_path
from viz.subjects.decoding.strategy import Branch, Fork, Shaping, Strategy

TOKENS = ".studio-strip >> nth=0 >> li bdi"
STEP = 2
OTHER = "My little sister doesn't like the red dress."


@pytest.fixture(scope="module")
def run() -> Run:
    return make_run(load_shipped(PAPER), DEFAULT)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with own_page(browser, "decoding", {"key": "own"}) as page:
        yield page


def path_of(run: Run, strategy: Strategy, branch: Branch = ()) -> DecodedPath:
    return decode_path(run, load_shipped(PAPER).model, strategy, branch)


def expect_played(page: Page, run: Run, path: DecodedPath) -> None:
    target = run.info.tokenizers.target
    begin = target.token(run.target_ids[0])
    expect(page.locator(TOKENS)).to_have_text([begin, *target.tokens(path.ids)])


def test_another_token_is_taken_and_the_model_s_own_again(page: Page, run: Run):
    page.evaluate("text => tell(text)", DEFAULT)
    expect_played(page, run, path_of(run, Strategy()))
    for _ in range(STEP):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".studio-where")).to_contain_text(f"step {STEP} ")
    page.wait_for_function("step => loupe.selection.step === step", arg=STEP)  # others follow
    second = run.steps[STEP].candidates(2)[1].token
    page.locator("button.studio-candidate").nth(1).click()
    branch = path_of(run, Strategy(), (Fork(STEP, second),))
    assert branch.ids[STEP + 1 :] != run.target_ids[STEP + 2 :]
    expect_played(page, run, branch)
    expect(page.locator(".studio-where")).to_contain_text(f"step {STEP} ")
    texts = page.locator(".studio-branch-text")
    expect(texts).to_have_text([run.text, run.info.tokenizers.target.decode(branch.ids)])
    page.locator("button.studio-candidate").nth(0).click()
    expect_played(page, run, path_of(run, Strategy()))
    expect(texts).to_have_text([run.text])


def test_a_sample_is_shaped_and_drawn_and_left(page: Page, run: Run):
    page.evaluate("text => tell(text)", DEFAULT)
    page.get_by_role("button", name="Sampling").click()
    expect_played(page, run, path_of(run, Strategy("Sampling")))
    page.get_by_label("Top-k").fill("5")
    page.get_by_label("Temperature").fill("29")  # the slider's position of 2
    expect(page.locator("button.studio-cut").first).to_be_visible()
    page.get_by_role("button", name="Draw again").click()
    drawn = Strategy("Sampling", Shaping(2.0, 5, 1.0), seed=1)
    expect_played(page, run, path_of(run, drawn))
    page.get_by_role("button", name="Greedy").click()
    expect_played(page, run, path_of(run, Strategy()))
    expect(page.get_by_role("button", name="Draw again")).to_be_hidden()


def test_another_sentence_has_paths_of_its_own(page: Page, run: Run):
    other = make_run(load_shipped(PAPER), OTHER)
    for text, one in ((DEFAULT, run), (OTHER, other), (DEFAULT, run)):
        page.evaluate("text => tell(text)", text)
        expect_played(page, one, path_of(one, Strategy()))
