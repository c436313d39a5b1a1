"""The decoding studio in a real browser: it plays without Python, and a link brings it back."""

import itertools
import math
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from model.decoding.distribution import draw, sampling_distribution
from model.decoding.greedy import sample
from tests.browsing import (
    chosen,
    expect_chosen,
    expect_in_link,
    library,
    open_page,
    seen_run,
    settle,
)
from tests.checkpoints import BY_HEART, DEFAULT
from viz.run.record import make_run
from viz.subjects.decoding.paths import decode_path
from viz.subjects.decoding.strategy import Fork, Strategy

SHAPINGS = list(
    itertools.product((0.05, 0.7, 1.0, 5.0), (None, 1, 3, 400), (None, 0.05, 0.5, 0.9, 1.0))
)
SHAPED = """(rows) => rows.map(([given, temperature, topK, topP]) => {
  const logits = Float32Array.from(given);
  const ids = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
  const {kept, ...shares} = samplingDistribution(
    ids.map((id) => logits[id]), {count: 0, sum: 0, weighted: 0}, {temperature, topK, topP});
  const byId = (shares) => [...logits.keys()].map((id) => shares[ids.indexOf(id)] ?? 0);
  return {kept, probabilities: byId(shares.probabilities), tempered: byId(shares.tempered)};
})"""
RESTING = 0.5
"""Seconds after which the player counts as resting, with something to spare."""


@contextmanager
def studio(browser: Browser, address: str, query: str = "") -> Iterator[Page]:
    parts = "&".join(f"more_decoding_{part}=true" for part in ("branches", "cache", "lens"))
    with open_page(browser, f"{address}/decoding?{parts}&{query}") as page:
        ready(page)
        yield page


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
    """Read the rows of the candidates that are in use."""
    return page.locator("button.studio-candidate").evaluate_all(
        """rows => rows.filter((row) => row.style.visibility !== "hidden").map((row) => ({
             rank: row.children[0].textContent, token: row.children[1].textContent,
             share: row.children[3].textContent, log: row.children[4].textContent,
             written: row.classList.contains("studio-written"),
             cut: row.classList.contains("studio-cut"),
             width: row.querySelector("i").style.width}))"""
    )


def seen(page: Page) -> dict[str, object]:
    """All that the page says, but for what is under the pointer."""
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
    """Wait until Python has heard of the step at which the player rests."""
    step = re.match(r"step (\d+)", page.locator(".studio-where").inner_text())
    assert step
    expect_in_link(page, step=step[1])
    settle(page)


def card(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-card_decoding_{name}")


def part(page: Page, name: str) -> Locator:
    """What a heading opens."""
    return page.locator(f".st-key-more_decoding_{name}")


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_ten_tokens_are_played_forward_and_back_with_the_network_idle(
    browser: Browser, address: str, checkpoints_folder: Path
):
    run = seen_run(checkpoints_folder)
    frames: list[object] = []
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.on("websocket", lambda s: s.on("framesent", lambda frame: frames.append(frame)))
    page.goto(f"{address}/decoding?step=0")
    ready(page)
    assert tokens_of(page) == list(run.target_tokens)
    rest(page)
    frames.clear()
    moved = [time.monotonic()]
    said: list[str] = []

    def rests() -> int:
        """Count the pauses so long that Python may hear of the step: none unless this is slow."""
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
    page.get_by_label("steps a second").select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    assert len(frames) <= rests()
    before = len(frames)
    page.wait_for_function(
        "() => document.querySelector('.studio-where').textContent.startsWith('step 7 ')"
    )
    assert len(frames) == before
    moved = [time.monotonic()]
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("button", name="Play", exact=True).count() == 1
    moved.append(time.monotonic())
    page.locator(".studio-scrubber").fill("5")
    assert where(page) == 5
    assert len(frames) <= before + rests()
    before = len(frames)
    expect_in_link(page, step=5)
    assert len(frames) == before + 1
    page.close()


def test_each_step_shows_its_own_numbers(browser: Browser, address: str, checkpoints_folder: Path):
    run = seen_run(checkpoints_folder)
    with studio(browser, address, "step=6&layer=1&head=2&kind=cross-attention") as page:
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
        others = re.fullmatch(
            r"(\d+) others: ([\d.e−]+)\.", page.locator(".studio-unlisted").inner_text()
        )
        assert others
        assert int(others[1]) == len(step.logits) - len(rows)
        listed = sum(c.probability for c in step.candidates())
        assert number(others[2]) == pytest.approx(1 - listed, abs=1e-4)
        player = card(page, "player")
        expect(player.locator(".studio-sure b")).to_have_text(
            f"{step.entropy / math.log(2):.3f} bits"
        )
        cache = part(page, "cache")
        expect(cache.locator(".studio-words")).to_contain_text(f"{step.cache_bytes:,} bytes")
        expect(cache.locator(".studio-words")).to_contain_text(
            f"Without the cache, {step.cached_positions} target positions would be read again, "
            f"and the keys and values of {len(run.source.ids)} source positions computed again."
        )
        expect(player.locator(".studio-facts")).to_contain_text(f"{step.rank + 1} of")
        lens = part(page, "lens").locator("tbody tr").first.locator("td")
        expect(lens.nth(6).locator("small")).to_have_text(
            "✓" if step.rank == 0 else f"rank {step.rank + 1}"
        )
        shown = page.locator(".loupe-decoding_player .studio-strip").nth(1).locator("small")
        weights = run.trace.decoder.layers[1].cross_attn.weights[0, 2, 6].numpy()
        assert_rounded_once(shown.all_inner_texts(), weights)
        page.get_by_role("button", name="Mean of heads").click()
        mean = run.trace.decoder.layers[1].cross_attn.weights[0, :, 6].double().mean(dim=0)
        assert_rounded_once(shown.all_inner_texts(), mean.numpy())
        expect_in_link(page, heads="mean")
        expect_same_after_reload(page)
        assert page.get_by_role("button", name="Mean of heads").get_attribute("aria-pressed")


def assert_rounded_once(texts: list[str], weights: np.ndarray) -> None:
    """Each weight in two decimals, or three where its code leaves the second open."""
    for text, weight in zip(texts, weights, strict=True):
        decimals = len(text.partition(".")[2]) or 2
        assert decimals <= 3
        assert float(text or 0) == float(f"{weight:.{decimals}f}")


@pytest.mark.smoke
def test_the_arrow_keys_move_the_step_and_not_the_cell(browser: Browser, address: str):
    with studio(browser, address, "step=4&query=4&key=3&kind=cross-attention") as page:
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
            page.keyboard.press(key)
        assert where(page) == 5
        expect_chosen(page, key=3, step=5)
        page.keyboard.press(",")
        expect_chosen(page, key=3, head=1)
        page.get_by_label("English source", exact=True).click()
        page.keyboard.press("ArrowRight")
        assert where(page) == 5


def test_two_branches_and_the_way_back(browser: Browser, address: str, checkpoints_folder: Path):
    checkpoint = load_checkpoint(checkpoints_folder / "english-french-paper")
    run = make_run(checkpoint, DEFAULT)
    with studio(browser, address, "step=2") as page:
        first = run.steps[2].candidates()[3].token
        page.locator("button.studio-candidate").nth(3).click()
        expect(page.locator(".studio-branch")).to_have_count(2)
        path = decode_path(run, checkpoint.model, Strategy(), (Fork(2, first),))
        assert where(page) == 2
        page.wait_for_function(
            "wanted => document.querySelectorAll('.studio-strip')[0].children.length === wanted",
            arg=len(path.ids) + 1,
        )
        assert tokens_of(page)[1:] == list(run.info.tokenizers.target.tokens(path.ids))
        played = page.locator(".studio-played .studio-branch-score")
        expect(played).to_contain_text(f"log p −{abs(path.total):.3f},")
        total = sum(step.log_probability for step in path.steps)
        assert path.total == pytest.approx(total, abs=1e-12)
        marked = page.locator(".studio-played .studio-differs").all_inner_texts()
        assert run.info.tokenizers.target.token(first) in marked

        page.locator(".studio-branch-play").first.click()
        expect(page.locator(".studio-branch").first).to_have_class(re.compile("studio-played"))
        page.keyboard.press("Home")
        rest(page)
        page.locator("button.studio-candidate").nth(1).click()
        expect(page.locator(".studio-branch")).to_have_count(3)
        second = run.steps[0].candidates()[1].token
        expect_in_link(page, branches=f"2:{first},0:{second}", branch=2)
        expect_same_after_reload(page)

        page.get_by_role("button", name="Return to the model's choice").click()
        page.wait_for_function("() => !location.search.includes('branch=')")
        expect(page.locator(".studio-branch").first).to_have_class(re.compile("studio-played"))
        expect(page.locator(".studio-branch")).to_have_count(3)
        assert tokens_of(page) == list(run.target_tokens)
        for left in (2, 1):
            page.get_by_role("button", name="Undo the latest branch").click()
            expect(page.locator(".studio-branch")).to_have_count(left)
        page.wait_for_function("() => !/[?&]branch/.test(location.search)")


def test_branches_that_a_link_cannot_have_are_left_out(browser: Browser, address: str):
    with studio(browser, address, "branches=1:5,zero,500:2,1:99999") as page:
        expect(page.locator(".studio-branch")).to_have_count(2)
        expect(page.get_by_text("which cannot be read, so it was left out")).to_be_visible()
        expect(page.get_by_text("a step must be from 0 to")).to_be_visible()
        expect(page.get_by_text("a token must be from 0 to")).to_be_visible()


def test_sampling_is_shaped_in_the_browser_and_drawn_by_python(
    browser: Browser, address: str, checkpoints_folder: Path
):
    checkpoint = load_checkpoint(checkpoints_folder / "english-french-paper")
    run = make_run(checkpoint, DEFAULT)
    frames: list[object] = []
    with studio(browser, address, "decoding=Sampling&step=1") as page:
        page.on("websocket", lambda s: s.on("framesent", lambda frame: frames.append(frame)))
        page.reload()
        ready(page)
        rest(page)
        before = tokens_of(page)
        expect(page.locator("[data-testid=stSidebar]")).to_contain_text(
            "This map shows the greedy run."
        )
        frames.clear()
        page.get_by_label("Top-k").fill("3")
        page.get_by_label("Temperature").fill("100")
        rows = candidates(page)
        assert [row["cut"] for row in rows] == [False] * 3 + [True] * (len(rows) - 3)
        assert sum(float(row["share"]) for row in rows[:3]) == pytest.approx(1, abs=2e-4)
        assert frames == []
        assert tokens_of(page) == before
        expect_in_link(page, shaping="5:3:1")
        expect_same_after_reload(page)
        page.get_by_role("button", name="Draw again").click()
        expect_in_link(page, drawn="5:3:1:1")
        source = torch.tensor([run.source.ids])
        drawn = [
            s.token for s in sample(checkpoint.model, source, temperature=5.0, top_k=3, seed=1)
        ]
        expect(page.locator(".studio-branch-tokens span")).to_have_text(
            list(run.info.tokenizers.target.tokens(drawn))
        )
        expect_same_after_reload(page)


def test_the_tree_opens_and_a_hypothesis_is_played(browser: Browser, address: str):
    with studio(browser, address, "decoding=Beam&beam_width=3&step=3") as page:
        tree = card(page, "tree")
        nodes = tree.locator(".studio-tree-node")
        expect(nodes.first).to_be_visible()
        settle(page)
        tree.locator(".studio-tree-kept.studio-tree-node").nth(4).hover()
        said = tree.locator(".studio-tree-said")
        expect(said).to_contain_text("kept; log p of the token")
        weights = tree.locator(".studio-strip small").all_inner_texts()
        assert sum(float(text or 0) for text in weights) == pytest.approx(1, abs=0.08)
        hypothesis = tree.locator(".studio-tree-kept.studio-tree-node").nth(4)
        words = said.locator("b").inner_text().split(" ")
        hypothesis.click()
        page.wait_for_function("() => location.search.includes('node=')")
        expect(page.locator(".studio-where")).to_have_text(
            re.compile(rf"step {len(words) - 1} / {len(words) - 1}")
        )
        assert tokens_of(page)[1:] == words
        total = float(re.search(r"sum −?([\d.]+)", said.inner_text())[1])
        expect(page.locator(".studio-played")).to_have_count(0)
        facts = page.locator(".studio-facts dd").last.inner_text()
        assert number(facts) == pytest.approx(-total, abs=2e-3)
        expect_same_after_reload(page)
        page.locator(".studio-branch-play").click()
        expect(page.locator(".studio-played")).to_have_count(1)


def test_a_given_target_shows_its_losses(browser: Browser, address: str, checkpoints_folder: Path):
    target = BY_HEART["the cat sleeps ."]
    run = make_run(
        load_checkpoint(checkpoints_folder / "english-french-paper"), DEFAULT, target=target
    )
    with studio(browser, address, f"target={quote(target)}&step=2") as page:
        losses = card(page, "losses")
        shown = losses.locator("button > small:first-child").all_inner_texts()
        expected = [-step.log_probability for step in run.steps]
        assert [float(text) for text in shown] == pytest.approx(expected, abs=0.0051)
        mean = sum(expected) / len(expected)
        expect(losses.locator(".loupe-shape")).to_contain_text(f"total {sum(expected):.3f} nats")
        expect(losses.locator(".loupe-shape")).to_contain_text(f"mean {mean:.3f}")
        others = losses.locator("em").all_inner_texts()
        best = run.info.tokenizers.target.tokens(s.candidates(1)[0].token for s in run.steps)
        assert others == [
            "·" if step.rank == 0 else token for step, token in zip(run.steps, best, strict=True)
        ]
        ranks = losses.locator("button > small:last-child").all_inner_texts()
        assert ranks == ["" if step.rank == 0 else f"rank {step.rank + 1}" for step in run.steps]
        losses.locator("button").nth(4).click()
        assert where(page) == 4
        expect_same_after_reload(page)


def test_a_variant_without_a_causal_mask_says_that_nothing_is_cached(
    browser: Browser, address: str
):
    with studio(browser, address, "checkpoint=english-french-headlist&step=1") as page:
        expect(card(page, "player")).to_contain_text("nothing can be kept in a cache")
        expect(page.locator(".studio-words")).to_contain_text("No cache")


def test_a_target_that_a_variant_reads_ahead_in_has_two_losses(browser: Browser, address: str):
    query = f"checkpoint=english-french-headlist&target={quote(BY_HEART[DEFAULT])}"
    with studio(browser, address, query) as page:
        losses = card(page, "losses")
        expect(losses).to_contain_text("also reads the tokens that it has to predict")
        mean = re.search(r"mean ([\d.]+)", losses.locator(".loupe-shape").inner_text())[1]
        said = re.search(r"before them: ([\d.]+) nats per token", losses.inner_text())[1]
        assert float(said) == pytest.approx(float(mean), abs=6e-4)


def test_a_slider_keeps_the_keys_that_move_it(browser: Browser, address: str):
    with studio(browser, address, "decoding=Sampling&step=3") as page:
        page.get_by_label("Temperature").focus()
        page.keyboard.press("ArrowRight")
        expect_in_link(page, shaping="1.1:0:1")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect_in_link(page, shaping="0.95:0:1")
        page.keyboard.press("End")
        expect_in_link(page, shaping="5:0:1")
        assert where(page) == 3


def test_nothing_overflows_its_card(browser: Browser, address: str):
    with studio(browser, address, "decoding=Beam&presenter=true") as page:
        cards = page.locator("[class*='st-key-card_decoding']").all()
        assert len(cards) > 1
        for one in cards:
            assert one.evaluate("node => node.scrollWidth - node.clientWidth") <= 1


def test_a_candidate_that_is_taken_opens_the_branches(browser: Browser, address: str):
    with open_page(browser, f"{address}/decoding?step=2") as page:
        ready(page)
        expect(page.locator(".studio-branch")).to_have_count(0)
        page.locator("button.studio-candidate").nth(3).click()
        expect(page.locator(".studio-branch")).to_have_count(2)
        page.wait_for_url("**more_decoding_branches=true**")


@pytest.fixture(scope="module")
def code(browser: Browser) -> Iterator[Page]:
    """A page with the code alone."""
    script = (
        'import { samplingDistribution } from "/subjects/decoding/browser/distribution.js";'
        "Object.assign(window, { samplingDistribution });"
    )
    body = '<div class="stApp"></div>'
    with library(browser, body, script, until="window.samplingDistribution") as page:
        yield page


def test_a_seed_beyond_the_last_becomes_the_last(code: Page):
    drawn = code.evaluate(
        """async () => {
          const { playerShaper } = await import("/subjects/decoding/browser/player_shaper.js");
          const drawn = [];
          const studio = { shaping: { temperature: 1, topK: 0, topP: 1 } };
          const part = playerShaper(studio, (seed) => drawn.push(seed));
          part.build({ size: 10 }, { drawn: [1, 0, 1, 5], lastSeed: 999999, temperatures: [1] });
          const field = part.node.querySelector("input[type=number]");
          for (const text of ["1234567", "12", "-3", ""]) {
            field.value = text;
            field.dispatchEvent(new Event("change"));
          }
          return drawn;
        }"""
    )
    assert drawn == [999_999, 12, 0, 0]


def rows_of_logits() -> list[list[float]]:
    generator = torch.Generator().manual_seed(3)
    random = [4 * torch.randn(60, generator=generator) for _ in range(3)]
    ties = torch.tensor([1.0, 3, 3, 0, 3, 1, -2, 1, -torch.inf])
    flat = torch.zeros(10)
    return [row.tolist() for row in (*random, ties, flat)]


def test_the_browser_shapes_as_the_sampler_does(code: Page):
    cases = [(logits, *shaping) for logits in rows_of_logits() for shaping in SHAPINGS]
    asked = [
        [[-1e300 if v == -math.inf else v for v in logits], t, k or 0, p or 1]
        for logits, t, k, p in cases
    ]
    found = code.evaluate(SHAPED, asked)
    for (logits, temperature, top_k, top_p), shown in zip(cases, found, strict=True):
        expected = sampling_distribution(
            torch.tensor(logits), temperature=temperature, top_k=top_k, top_p=top_p
        )
        assert shown["probabilities"] == pytest.approx(expected.tolist(), abs=1e-12)
        assert shown["kept"] >= (expected > 0).sum().item()
        uncut = sampling_distribution(torch.tensor(logits), temperature=temperature)
        assert shown["tempered"] == pytest.approx(uncut.tolist(), abs=1e-12)


@pytest.mark.parametrize("shaping", [(1.0, 0, 1.0), (2.0, 6, 1.0), (1.5, 0, 0.8)])
def test_draws_follow_the_distribution_that_is_shown(code: Page, checkpoints_folder: Path, shaping):
    """10,000 first tokens, each of a seed of its own, against what the browser shows."""
    temperature, top_k, top_p = shaping
    checkpoint = load_checkpoint(checkpoints_folder / "english-french-paper")
    source = torch.tensor([checkpoint.info.tokenizers.encode_source("the cat sleeps .").ids])
    first = next(iter(sample(checkpoint.model, source, max_length=1)))
    [shown] = code.evaluate(SHAPED, [[first.logits.tolist(), temperature, top_k, top_p]])
    settings = {"temperature": temperature, "top_k": top_k or None, "top_p": top_p}
    logits = first.logits
    counts = np.zeros(len(logits))
    distribution = sampling_distribution(logits, **settings)
    generator = torch.Generator().manual_seed(11)
    for _ in range(10_000):
        counts[draw(distribution, generator)] += 1
    expected = 10_000 * np.array(shown["probabilities"])
    assert counts[expected == 0].sum() == 0
    common = expected >= 5
    observed = np.append(counts[common], counts[~common].sum())
    wanted = np.append(expected[common], expected[~common].sum())
    observed, wanted = observed[wanted > 0], wanted[wanted > 0]
    freedom = len(wanted) - 1
    statistic = ((observed - wanted) ** 2 / wanted).sum()
    # Mean and variance of chi-squared are the degrees of freedom and twice that.
    assert statistic < freedom + 4 * math.sqrt(2 * freedom)


def test_presenter_mode_follows_another_target(browser: Browser, address: str):
    """The sidebar, and the small map in it, is there but hidden."""
    with studio(browser, address, "presenter=true&step=0") as page:
        words = [row["token"].isalpha() for row in candidates(page)]
        page.locator("button.studio-candidate").nth(words.index(True, 1)).click()
        expect(page.locator(".studio-branch")).to_have_count(2)
        text = page.locator(".studio-played .studio-branch-text").inner_text()
        page.get_by_role("button", name="Explore this target").click()
        expect(page.get_by_role("textbox", name="French target")).to_have_value(text)
        expect(page.locator("[data-testid=stSidebar]")).to_contain_text(
            "This map shows the target that you gave."
        )
        expect(card(page, "losses")).to_be_visible()
        page.wait_for_function("!new URLSearchParams(location.search).has('branches')")
        page.get_by_role("link", name="Attention", exact=True).click()
        page.wait_for_selector(".loupe-head .loupe-canvas")
        settle(page)
        row = chosen(page)["query"]
        page.keyboard.press("ArrowDown")
        expect_chosen(page, query=row + 1)
        expect_in_link(page, query=row + 1)
        token = page.evaluate("loupe.run().tokens.target[loupe.selection.query + 1]")
        expect(page.locator(".loupe-chip.loupe-is-query bdi")).to_have_text(token)
        expect(page.locator(".loupe-cell h2 .loupe-query")).to_have_text(token)
        expect(page.locator(".loupe-said .loupe-query")).to_have_text(token)
