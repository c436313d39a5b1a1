"""The site's page Decoding in a browser, with third-party models whose weights lie beside it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from model.checkpoints.checkpoint import Checkpoint
from model.decoding.greedy import greedy, sample
from model.decoding.steps import DecodingStep
from model.foreign.imports.load import open_folder
from tests.model.foreign.imports.folders import (
    GPT2,
    LLAMA,
    byte_tokenizer,
    gpt2_weights,
    llama_weights,
    piece_tokenizer,
    write_folder,
)
from viz.site.__main__ import main

TEXT = "The fox jumps"
OTHER = "The dog sleeps"
PLACES = 32
"""The number of positions that the small GPT-2 has learned."""
ROOM = 24
TOKENS = ".studio-strip >> nth=0 >> li bdi"
STATUS = ".studio-status"
MODELS = {
    "gpt2": (GPT2, gpt2_weights, byte_tokenizer),
    "llama": (LLAMA, llama_weights, piece_tokenizer),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write models whose weights are float16 numbers, so that the site has the same ones."""
    place = tmp_path_factory.mktemp("models")
    return {
        name: write_folder(
            place / name, config, {n: t.half().float() for n, t in weights().items()}, tokenizer()
        )
        for name, (config, weights, tokenizer) in MODELS.items()
    }


@pytest.fixture(scope="module")
def folder(folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    models = [part for path in folders.values() for part in ("--model", str(path))]
    assert main([str(site), *models, "--bits", "16"]) == 0
    return site


def steps_of(
    opened: Checkpoint, text: str, write: Any = greedy, begins: Sequence[int] = (), room: int = ROOM
) -> list[DecodingStep]:
    """Decode in Python after a prompt that begins with the text."""
    target = opened.info.tokenizers.target
    first, *prompt = opened.info.tokenizers.encode_prompt(text).ids
    prefix = begins or prompt
    longest = max(len(prompt), len(prefix)) + room
    if opened.info.config.positions == "learned":
        longest = min(longest, PLACES)
    how = {"prefix": prefix, "prompt": len(prompt), "bos_id": first, "eos_id": target.specials.ends}
    return list(write(opened.model, None, max_length=longest, **how))


def open_at(page: Page, site: str, name: str) -> None:
    page.goto(f"{site}/decoding/?checkpoint=models/{name}&source={TEXT}")


def expect_played(page: Page, opened: Checkpoint, text: str, steps: Sequence[DecodingStep]) -> None:
    target = opened.info.tokenizers.target
    first, *prompt = opened.info.tokenizers.encode_prompt(text).ids
    ids = [step.token for step in steps]
    expect(page.locator(TOKENS)).to_have_text(target.tokens([first, *ids]), use_inner_text=False)
    expect(page.locator(".studio-prompt")).to_have_count(1 + len(prompt))


def test_a_prompt_is_continued_as_python_does(
    page: Page, site: str, folders: dict[str, Path]
) -> None:
    opened = open_folder(folders["gpt2"])
    target = opened.info.tokenizers.target
    open_at(page, site, "gpt2")
    own = steps_of(opened, TEXT)
    expect_played(page, opened, TEXT, own)
    expect(page.locator("h1")).to_have_text("How does the text continue?")
    n_prompt = len(opened.info.tokenizers.encode_prompt(TEXT).ids) - 1
    expect(page.locator(".studio-where")).to_contain_text(f"step {n_prompt} ")
    written = target.decode([step.token for step in own[n_prompt:]])
    expect(page.locator(".studio-branch-text")).to_have_text(written)
    expect(page.get_by_role("button", name="Write more")).to_be_visible(visible=len(own) < PLACES)
    page.locator("button.studio-candidate").nth(2).click()
    taken = own[n_prompt].candidates(3)[2].token
    prefix = [*(step.token for step in own[:n_prompt]), taken]
    expect_played(page, opened, TEXT, steps_of(opened, TEXT, begins=prefix))
    branch = page.locator(".studio-branch-text").nth(1)
    assert branch.inner_text().startswith(target.decode([taken]))
    page.locator(".st-key-source input").fill(OTHER)
    expect_played(page, opened, OTHER, steps_of(opened, OTHER))
    expect(page.locator(STATUS)).to_be_empty()


LARGE = """
() => {
  const list = document.querySelector(".studio-candidates");
  const words = list.querySelector(".studio-others-words");
  words.textContent = "250,100 others"; // as mT5 has
  const right = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect().right;
  };
  const left = (node) => node.getBoundingClientRect().left;
  return {
    room: left(list.querySelector(".studio-others .studio-track")) - right(words),
    names: [...list.querySelectorAll(".studio-candidate-head span")]
      .filter((name) => name.scrollWidth > name.clientWidth + 1)
      .map((name) => name.textContent),
  };
}
"""


def test_a_phone_cuts_no_name_and_keeps_no_empty_line(
    page: Page, site: str, folders: dict[str, Path]
) -> None:
    opened = open_folder(folders["gpt2"])
    page.set_viewport_size({"width": 390, "height": 800})
    open_at(page, site, "gpt2")
    expect_played(page, opened, TEXT, steps_of(opened, TEXT))
    sampled = page.locator(".studio-candidates.studio-sampled")
    for way in ("Greedy", "Sampling"):
        page.get_by_role("button", name=way).click()
        expect(page.locator(STATUS)).to_be_empty()
        expect(sampled).to_have_count(int(way == "Sampling"))
        seen = page.evaluate(LARGE)
        assert seen["names"] == []
        assert seen["room"] >= 0
        box = page.locator(STATUS).bounding_box()
        assert box
        assert box["height"] == 0


def test_a_sample_comes_again_from_its_seed_and_goes_on(
    page: Page, site: str, folders: dict[str, Path]
) -> None:
    opened = open_folder(folders["llama"])
    drawn = partial(steps_of, opened, TEXT)
    open_at(page, site, "llama")
    expect_played(page, opened, TEXT, drawn())
    page.get_by_role("button", name="Write more").click()
    expect_played(page, opened, TEXT, drawn(room=2 * ROOM))
    page.get_by_role("button", name="Sampling").click()
    expect_played(page, opened, TEXT, drawn(sample))
    page.get_by_role("button", name="Draw again").click()
    expect_played(page, opened, TEXT, drawn(partial(sample, seed=1)))
    page.get_by_label("Seed").fill("0")
    page.get_by_label("Seed").press("Enter")
    expect_played(page, opened, TEXT, drawn(sample))
    page.get_by_role("button", name="Write more").click()
    expect_played(page, opened, TEXT, drawn(sample, room=2 * ROOM))
