"""What the benchmarks of the pages share: a browser, what a process takes, and large models."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from playwright.sync_api import BrowserContext, Page

from model.checkpoints.checkpoint import CheckpointInfo, save_checkpoint
from model.presets import preset
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from qa.audit.browser import launched

WORDS = [f"w{i}" for i in range(40)]
SETTLED_MS = 1500
"""After which a new window of Chromium has loaded the pages of its own address bar."""


def make_random(folder: Path, name: str, *, layers: int, heads: int, d_model: int) -> None:
    torch.manual_seed(0)
    tokenizers = Tokenizers.train(WORDS, WORDS, source_kind="word", target_kind="word", shared=True)
    config = preset(
        "paper",
        source_vocab_size=tokenizers.source.vocab_size,
        target_vocab_size=tokenizers.target.vocab_size,
        d_model=d_model,
        d_ff=2 * d_model,
        n_heads=heads,
        n_encoder_layers=layers,
        n_decoder_layers=layers,
    )
    info = CheckpointInfo(
        name=name, title=name, variant="paper", task="random", config=config, tokenizers=tokenizers
    )
    save_checkpoint(folder / name, Transformer(config).eval(), info)


@contextmanager
def chromium() -> Iterator[BrowserContext]:
    """Start a browser whose pages share a cache, as a person's do."""
    with launched() as browser:
        yield browser.new_context(
            viewport={"width": 1600, "height": 1000},
            reduced_motion="reduce",
            bypass_csp=True,  # to wait for a function, Playwright makes code of text in the page
        )


@contextmanager
def open_page(browser: BrowserContext, address: str) -> Iterator[tuple[Page, list[int]]]:
    """Open a page and collect the size of each message on its websocket."""
    page = browser.new_page()
    sizes: list[int] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))),
    )
    page.wait_for_timeout(SETTLED_MS)
    page.goto(address)
    yield page, sizes
    page.close()


def processor_seconds(process: int) -> float:
    fields = (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> float:
    pages = int((Path("/proc") / str(process) / "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
