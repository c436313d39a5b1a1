"""A model on a site of plain files, in Chromium: `python -m qa.benchmarks.site_model FOLDER`.

It writes the site of a third-party model, or without a folder of one with random weights in the
shapes of GPT-2 small. It serves the site from this machine, and measures bytes, the first picture
of a first and a second visit, the answer to a key, a written token, and the memory of the page's
process.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Error, Page

from qa.audit.browser import launched, serve_files
from viz.site.__main__ import main as write_site

TEXTS = (
    "The cat sat on the mat because",
    "The old man reads a good book and the young woman writes a long letter to",
)
WORDS = (" it", " the", " a", " he", " she", " one", " no")
IS_THERE = "Boolean(window.loupe?.runs?.has('typed'))"
TYPED = """async (text) => {
  const input = document.querySelector(".st-key-source input");
  const before = loupe.runs.get("typed");
  const start = performance.now();
  input.value = text;
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  while (loupe.runs.get("typed") === before && performance.now() - start < 30000)
    await new Promise((done) => setTimeout(done, 2));
  const { tokens } = loupe.runs.get("typed");
  return [performance.now() - start, Math.max(tokens.source.length, tokens.target.length - 1)];
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--bits", default="8", choices=("8", "16"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or gpt2_small(Path(folder) / "gpt2-small")
        site = Path(folder) / "site"
        write_site([str(site), "--model", str(model), "--bits", options.bits])
        with serve_files(site) as address, launched() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            for visit in ("first", "second"):
                print(f"{visit} visit: first picture {opened(page, address):.1f} s, {memory()}")
            for text in TEXTS:
                times, (*_, count) = zip(
                    *(page.evaluate(TYPED, text + word) for word in WORDS), strict=True
                )
                middle, most = statistics.median(times), max(times)
                print(f"{count} tokens: a key {middle:.0f} ms (at most {most:.0f}), {memory()}")


def opened(page: Page, address: str) -> float:
    """Return the seconds until the page has drawn its first run."""
    start = time.monotonic()
    page.goto(f"{address}/attention/")
    while time.monotonic() - start < 120:
        with suppress(Error):  # the page may redirect to another one
            if page.evaluate(IS_THERE):
                return time.monotonic() - start
        time.sleep(0.02)
    sys.exit("the page has drawn nothing within two minutes")


def memory() -> str:
    """Return the memory of Chromium's largest process for a page (Linux)."""
    sizes = [0]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process may have ended
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                sizes.append(int((process / "statm").read_text("utf-8").split()[1]))
    return f"{max(sizes) * os.sysconf('SC_PAGE_SIZE') / 1e6:.0f} MB"


def gpt2_small(folder: Path) -> Path:
    """Write a GPT-2 with random weights in the small one's shapes, and 50,257 tokens."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    GPT2LMHeadModel(GPT2Config()).save_pretrained(folder)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = [f"Ġ{one}{two}" for one in letters for two in letters]
    known = [*letters, *(f"Ġ{one}" for one in letters if one != "Ġ"), *words][:50_256]
    merges = [("Ġ", token[1:]) for token in known[len(letters) :] if len(token) == 2]
    merges += [(token[:2], token[2:]) for token in known if len(token) == 3]
    ids = {token: id for id, token in enumerate(dict.fromkeys(known))}
    tokenizer = Tokenizer(models.BPE(ids, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


if __name__ == "__main__":
    main()
