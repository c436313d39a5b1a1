"""The page Decoding in a real browser: it plays without Python, and a link restores it."""

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from model.decoding.greedy import sample
from tests.browsing import (
    chosen,
    expect_chosen,
    expect_in_link,
    open_page,
    seen_run,
    settle,
)
from tests.checkpoints import DEFAULT
from tests.viz.subjects.messages import count_messages, messages
from viz.run.making import make_run
from viz.subjects.decoding.paths import decode_path
from viz.subjects.decoding.strategy import Fork, Strategy

RESTING = 0.5
"""Seconds after which the player counts as resting, with a margin."""


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open one page for all tests; most of them open a link of their own in it."""
    with open_page(browser, studio(address, "step=4&query=4&key=3&kind=cross-attention")) as page:
        ready(page)
        yield page


def studio(address: str, query: str) -> str:
    """Return a link to the page with its folds open."""
    parts = "&".join(f"more_decoding_{part}=true" for part in ("branches", "lens"))
    return f"{address}/decoding?{parts}&{query}"


def ready(page: Page) -> None:
    page.wait_for_selector(".studio-strip li.studio-now")
    settle(page)


def where(page: Page) -> int:
    return int(re.match(r"step (\d+)", page.locator(".studio-where").inner_text())[1])


def tokens_of(page: Page) -> list[str]:
    return (
        page.locator(".loupe-decoding_player .studio-strip").first.locator("bdi").all_inner_texts()
    )


def now(page: Page) -> str:
    return page.locator("li.studio-now bdi").inner_text()


def candidates(page: Page) -> list[dict[str, str]]:
    """Read the rows of the visible candidates."""
    return page.locator("button.studio-candidate").evaluate_all(
        """rows => rows.filter((row) => row.style.visibility !== "hidden").map((row) => ({
             rank: row.children[0].textContent, token: row.children[1].textContent,
             share: row.children[3].textContent, log: row.children[4].textContent,
             written: row.classList.contains("studio-written"),
             cut: row.classList.contains("studio-cut"),
             width: row.querySelector("i").style.width}))"""
    )


def seen(page: Page) -> dict[str, object]:
    """Return everything that the page shows except what is under the pointer."""
    page.mouse.move(2, 2)
    settle(page)
    return {
        "step": where(page),
        "tokens": tokens_of(page),
        "candidates": candidates(page),
        "cards": [
            card.inner_text()
            for card in page.locator(
                "[class*='st-key-card_decoding'], [class*='st-key-more_decoding']"
            ).all()
        ],
        "heads": page.locator(".loupe-decoding_player [aria-pressed=true]").all_inner_texts(),
    }


def expect_same_after_reload(page: Page) -> None:
    rest(page)
    before = seen(page)
    page.reload()
    ready(page)
    rest(page)
    assert seen(page) == before


def rest(page: Page) -> None:
    """Wait until Python has received the step at which the player rests."""
    settle(page)
    step = re.match(r"step (\d+)", page.locator(".studio-where").inner_text())
    assert step
    expect_in_link(page, step=step[1])
    settle(page)


def card(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-card_decoding_{name}")


def part(page: Page, name: str) -> Locator:
    """Return the part of the page that a heading opens."""
    return page.locator(f".st-key-more_decoding_{name}")


def number(text: str) -> float:
    return float(text.replace("−", "-"))


@pytest.mark.smoke
def test_the_arrow_keys_move_the_step_and_not_the_cell(page: Page):
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert where(page) == 5
    expect_chosen(page, key=3, step=5)
    page.keyboard.press(",")
    expect_chosen(page, key=3, head=1)
    page.get_by_label("English source", exact=True).click()
    page.keyboard.press("ArrowRight")
    assert where(page) == 5


def test_each_step_shows_its_own_numbers(page: Page, checkpoints_folder: Path):
    run = seen_run(checkpoints_folder)
    page.locator(".studio-scrubber").fill("6")
    page.evaluate("loupe.select({ layer: 1, head: 2 })")
    rest(page)
    step = run.steps[6]
    rows = candidates(page)
    assert [row["token"] for row in rows] == list(
        run.info.tokenizers.target.tokens(c.token for c in step.candidates())
    )
    for row, expected in zip(rows, step.candidates(), strict=True):
        assert number(row["log"]) == pytest.approx(expected.log_probability, abs=6e-4)
        width = float(row["width"].removesuffix("%"))
        assert width == pytest.approx(100 * expected.probability, abs=1e-3)
        assert row["written"] == (expected.token == step.token)
        assert row["rank"] == str(expected.rank + 1)
    others = page.locator(".studio-others")
    words, share = others.locator("span").nth(1), others.locator("span").nth(3)
    assert words.inner_text() == f"{len(step.logits) - len(rows)} others"
    listed = sum(c.probability for c in step.candidates())
    assert number(share.inner_text()) == pytest.approx(1 - listed, abs=1e-4)
    above = page.locator("button.studio-candidate:has(~ .studio-others):visible").count()
    assert above == sum(c.probability >= 1 - listed for c in step.candidates())
    player = card(page, "player")
    player.locator(".studio-numbers summary").click()
    entropy = player.locator(".studio-facts dd").first
    expect(entropy).to_contain_text(f"{step.entropy:.3f} nats of at most")
    expect(player.locator(".studio-facts")).to_contain_text(f"{step.rank + 1} of")
    player.locator(".studio-numbers summary").click()
    lens = part(page, "lens").locator("tbody tr").first.locator("td")
    expect(lens.nth(6).locator("small")).to_have_text(
        "✓" if step.rank == 0 else f"rank {step.rank + 1}"
    )
    shown = page.locator(".loupe-decoding_player .studio-strip").nth(1).locator("small")
    weights = run.trace.decoder.layers[1].cross_attn.weights[0, 2, 6].numpy()
    assert_rounded_once(shown.all_inner_texts(), weights)


def assert_rounded_once(texts: list[str], weights: np.ndarray) -> None:
    """Check that each weight has two decimals, or three if its code leaves the second undecided."""
    for text, weight in zip(texts, weights, strict=True):
        decimals = len(text.partition(".")[2]) or 2
        assert decimals <= 3
        assert float(text or 0) == float(f"{weight:.{decimals}f}")


def test_ten_tokens_are_played_forward_and_back_with_the_network_idle(
    page: Page, address: str, checkpoints_folder: Path
):
    run = seen_run(checkpoints_folder)
    page.goto(f"{address}/decoding?step=0")
    ready(page)
    count_messages(page)
    assert tokens_of(page) == list(run.target_tokens)
    rest(page)
    begun = messages(page)
    moved = [time.monotonic()]
    said: list[str] = []

    def rests() -> int:
        """Count pauses in which Python may receive the step: none unless this machine is slow."""
        moved.append(time.monotonic())
        return sum(later - earlier > RESTING for earlier, later in itertools.pairwise(moved))

    for _ in range(10):
        page.keyboard.press("ArrowRight")
        said.append(now(page))
        moved.append(time.monotonic())
    assert said == list(run.target_tokens[2:12])
    for step in (9, 8, 7):
        page.get_by_role("button", name="Step back").click()
        assert where(page) == step
        moved.append(time.monotonic())
    page.keyboard.press("Home")
    assert (where(page), now(page)) == (0, run.target_tokens[1])
    page.get_by_role("button", name="Play", exact=True).click()
    assert messages(page) - begun <= rests()
    before = messages(page)
    page.wait_for_function(
        "() => document.querySelector('.studio-where').textContent.startsWith('step 2 ')"
    )
    assert messages(page) == before
    moved = [time.monotonic()]
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("button", name="Play", exact=True).count() == 1
    moved.append(time.monotonic())
    page.locator(".studio-scrubber").fill("5")
    assert where(page) == 5
    assert messages(page) <= before + rests()
    before = messages(page)
    expect_in_link(page, step=5)
    assert messages(page) == before + 1


def test_a_token_that_is_taken_is_played_beside_the_models_choice(
    page: Page, checkpoints_folder: Path
):
    checkpoint = load_checkpoint(checkpoints_folder / "everyday-paper")
    run = make_run(checkpoint, DEFAULT)
    target = run.info.tokenizers.target
    page.locator(".studio-scrubber").fill("2")
    rest(page)
    page.locator("button.studio-candidate").nth(3).click()
    expect(page.locator(".studio-branch")).to_have_count(2)
    fork = Fork(2, run.steps[2].candidates()[3].token)
    path = decode_path(run, checkpoint.model, Strategy(), (fork,))
    assert where(page) == 2
    page.wait_for_function(
        "wanted => document.querySelectorAll('.studio-strip')[0].children.length === wanted",
        arg=len(path.ids) + 1,
    )
    assert tokens_of(page)[1:] == list(target.tokens(path.ids))
    played = page.locator(".studio-played")
    score = played.locator(".studio-branch-score")
    expect(score).to_contain_text(f"log-probability −{abs(path.total):.3f},")
    marked = played.locator(".studio-differs").all_inner_texts()
    assert target.token(fork.token) in marked

    second = Fork(3, path.steps[3].candidates()[1].token)
    page.keyboard.press("ArrowRight")
    rest(page)
    page.locator("button.studio-candidate").nth(1).click()
    branch = f"2:{fork.token}.3:{second.token}"
    expect_in_link(page, branches=branch, more_decoding_branches="true")
    expect(page.locator(".studio-branch")).to_have_count(2)
    expect_same_after_reload(page)

    page.get_by_role("button", name="Back: The model’s choice").click()
    expect(page.locator(".studio-branch")).to_have_count(1)
    page.wait_for_function("() => !new URLSearchParams(location.search).has('branches')")
    assert tokens_of(page) == list(run.target_tokens)


def test_sampling_is_shaped_in_the_browser_and_drawn_by_python(
    page: Page, address: str, checkpoints_folder: Path
):
    checkpoint = load_checkpoint(checkpoints_folder / "everyday-paper")
    run = make_run(checkpoint, DEFAULT)
    source = torch.tensor([run.source.ids])

    def drawn(seed: int) -> list[int]:
        return [
            s.token for s in sample(checkpoint.model, source, temperature=5.0, top_k=3, seed=seed)
        ]

    # A model trained on this machine may end a sample at once, and then there is no step 1.
    seed = next(seed for seed in range(1, 100) if len(drawn(seed)) > 1)
    head = "kind=cross-attention&layer=0&head=3"
    link = f"decoding=Sampling&step=1&drawn=1:0:1:{seed - 1}&{head}"
    page.goto(studio(address, link))
    ready(page)
    rest(page)
    before = tokens_of(page)
    count_messages(page)
    page.get_by_label("Top-k").fill("3")
    page.get_by_label("Temperature").fill("100")
    rows = candidates(page)
    assert [row["cut"] for row in rows] == [False] * 3 + [True] * (len(rows) - 3)
    assert sum(float(row["share"]) for row in rows[:3]) == pytest.approx(1, abs=2e-4)
    assert messages(page) == 0
    assert tokens_of(page) == before
    expect_in_link(page, shaping="5:3:1")
    page.get_by_label("Temperature").focus()
    page.keyboard.press("Home")
    expect_in_link(page, shaping="0.05:3:1")
    page.keyboard.press("End")
    expect_in_link(page, shaping="5:3:1")
    assert where(page) == 1, "a slider keeps the keys that move it"
    page.get_by_role("button", name="Draw again").click()
    expect_in_link(page, drawn=f"5:3:1:{seed}")
    expect(page.locator(".studio-branch-tokens span")).to_have_text(
        list(run.info.tokenizers.target.tokens(drawn(seed)))
    )
    expect_same_after_reload(page)
    page.get_by_label("Seed").fill("1234567")
    page.get_by_label("Seed").press("Enter")
    expect_in_link(page, drawn="5:3:1:999999")


def test_the_tree_says_of_each_hypothesis_how_it_scores(page: Page, address: str):
    page.goto(studio(address, "decoding=Beam&beam_width=3&step=3"))
    ready(page)
    tree = card(page, "tree")
    said = tree.locator(".studio-tree-said")
    expect(said.locator("b")).to_have_text(" ".join(tokens_of(page)[1:5]))
    tree.locator(".studio-tree-kept.studio-tree-node").nth(4).hover()
    expect(said).to_contain_text("kept; log-probability of the token")
    assert tree.locator("path.studio-tree-pointed").count() > 0
    page.mouse.move(2, 2)
    page.keyboard.press("ArrowRight")
    expect(said.locator("b")).to_have_text(" ".join(tokens_of(page)[1:6]))
    facts = page.locator(".studio-facts dd").last.text_content()
    assert f"sum {facts}," in said.inner_text()


def test_presenter_mode_follows_another_target(page: Page, address: str):
    """The sidebar and its small map exist but are hidden."""
    page.goto(studio(address, "presenter=true&step=0"))
    ready(page)
    words = [row["token"].isalpha() for row in candidates(page)]
    page.locator("button.studio-candidate").nth(words.index(True, 1)).click()
    expect(page.locator(".studio-branch")).to_have_count(2)
    text = page.locator(".studio-played .studio-branch-text").inner_text()
    page.get_by_role("button", name="Use this target on all pages").click()
    page.get_by_text("Pages and sentence", exact=True).click()
    expect(page.get_by_role("textbox", name="French target")).to_have_value(text)
    page.wait_for_function("!new URLSearchParams(location.search).has('branches')")
    page.get_by_role("link", name="Look", exact=True).click()
    page.wait_for_selector(".loupe-head .loupe-canvas")
    settle(page)
    row = chosen(page)["query"]
    page.keyboard.press("ArrowDown")
    expect_chosen(page, query=row + 1)
    expect_in_link(page, query=row + 1)
    token = page.evaluate("loupe.run().tokens.target[loupe.selection.query + 1]")
    expect(page.locator(".loupe-cell h2 .loupe-query")).to_have_text(token)
