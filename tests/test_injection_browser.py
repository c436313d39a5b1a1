"""A model whose words, title and file name are markup, on every page and in every file of it.

`ran` is defined nowhere, so a script that ran, or that the policy blocked, would report an error,
and pages that report errors fail (`open_page`).
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
import torch
from playwright.sync_api import Browser, Page

from model.checkpoints.checkpoint import save_checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.presets import preset
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.browsing import open_file, open_page, saved, serve, settle, turn_to
from viz.pages import FIRST, PAGES, PLACES

WORDS = (
    "<script>ran()</script>",
    "</script><script>ran()</script>",
    "<img/src=x/onerror=ran()>",
    '"><svg/onload=ran()>',
    "<iframe/src=javascript:ran()>",
    "<a/href=javascript:ran()>x</a>",
    "=cmd()|x",
    "@sum(1+1)",
    "%{y}<b>x</b>",
    "[x](javascript:ran())",
    "$\\href{javascript:ran()}{x}$",
    "cat",
)
NAME = "<img src=x onerror=ran()>\"'&=1"
TITLE = "</title><script>ran()</script><img src=x onerror=ran()>"
FOLDS = {
    "attention": ("heads", "bertviz", "stages", "scaling", "numbers"),
    "embeddings": ("embeddings_all", "embeddings_layers"),
    "map": ("tensor",),
    "compare": ("compare_stages", "compare_steps"),
}
"""Parts of pages that a link can open and that show words."""
PLACED = {page.URL for views in PLACES.values() for page in views}
"""The pages that can be reached by the app's navigation."""
MADE = """() => {
  const leads = ["href", "src", "xlink:href", "action", "srcdoc"];
  const found = [];
  const look = (root) => {
    for (const node of root.querySelectorAll("*")) {
      const made = [...node.attributes].some(({ name, value }) => name.startsWith("on")
        || leads.includes(name) && (value === "x" || value.includes("javascript:ran")));
      if (made) found.push(node.outerHTML.slice(0, 200));
      if (node.shadowRoot) look(node.shadowRoot);
    }
  };
  look(document);
  return found;
}"""
"""Return the elements that can only have been created from a word or a name."""
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def hostile_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hostile")
    texts = [" ".join(WORDS)]
    tokenizers = Tokenizers.train(
        texts, texts, source_kind="word", target_kind="word", shared=False
    )
    assert set(WORDS) <= set(tokenizers.source.vocabulary), "a word was taken apart"
    sizes = (tokenizers.source.vocab_size, tokenizers.target.vocab_size)
    small = {"d_model": 16, "d_ff": 16, "n_heads": 2, "n_encoder_layers": 2, "n_decoder_layers": 2}
    torch.manual_seed(0)
    config = preset(
        "paper", source_vocab_size=sizes[0], target_vocab_size=sizes[1], tying="none", **small
    )
    info = CheckpointInfo(
        name=NAME,
        title=TITLE,
        variant="paper",
        task="<script>ran()</script>",
        config=config,
        tokenizers=tokenizers,
    )
    save_checkpoint(folder / NAME, Transformer(config), info)
    with serve(folder, {"LOUPE_CHECKPOINTS": str(folder)}) as address:
        yield address


def link(address: str, page: str = "attention", **more: str) -> str:
    query = {"source": " ".join(WORDS), "target": " ".join(WORDS), **more}
    return f"{address}/{'' if page == FIRST.URL else page}?{urlencode(query)}"


def nothing_came_of_it(page: Page) -> None:
    for frame in page.frames:
        assert frame.evaluate(MADE) == [], frame.url


def test_words_and_names_stay_text_on_every_page(browser: Browser, hostile_address: str):
    with open_page(browser, link(hostile_address, FIRST.URL, scene="ask")) as page:
        for url in [each.URL for each in PAGES]:
            folds = {f"more_{name}": "true" for name in FOLDS.get(url, ())}
            if folds or url not in PLACED:
                page.goto(link(hostile_address, url, **folds))
                settle(page)
            else:
                turn_to(page, url)
            page.mouse.move(600, 500)
            settle(page)
            assert "ran()" in page.locator("body").inner_text(), url
            nothing_came_of_it(page)


def test_words_and_names_stay_text_in_every_file(
    browser: Browser, hostile_address: str, tmp_path: Path
):
    with open_page(browser, link(hostile_address, kind="cross-attention")) as page:
        settle(page)
        root = ElementTree.fromstring(saved(page, "the head", "SVG"))
        assert not [n for n in root.iter() if n.tag.rpartition("}")[2] in ("script", "img", "a")]
        assert any("ran()" in (node.text or "") for node in root.iter(f"{SVG}text"))
        rows = list(csv.reader(io.StringIO(saved(page, "the head", "CSV").decode("utf-8-sig"))))
        cells = [cell for row in rows for cell in row]
        assert "'=cmd()|x" in cells
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t"))]
        assert "<img/src=x/onerror=ran()>" in cells
        file = tmp_path / "view.html"
        file.write_bytes(saved(page, "", "HTML"))
        nothing_came_of_it(page)
    with open_file(browser, file) as page:
        assert "ran()" in page.locator("body").inner_text()
        assert page.evaluate(MADE) == []
