"""Third-party models in the app, whose answers while one types are compared with transformers."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
import transformers
from playwright.sync_api import Locator, Page, expect
from safetensors.torch import load_file, save_file

from model.checkpoints.checkpoint import Checkpoint
from model.foreign.imports.load import open_folder
from model.traces import find_tensor, named_tensors
from qa.audit.foreign import write_models
from tests.browsing import SIZE, ready, serve, untroubled
from tests.closeness import rooms, worst
from tests.held_line import Line
from tests.model.foreign.imports.folders import write_gpt2, write_llama
from viz.run import record
from viz.run.axes import attention_name
from viz.run.making import make_run
from viz.run.record import Run

TENSORS = """
names => Object.fromEntries(
  names.map((name) => [name, [...loupe.traces.get("typed").tensors[name].data]])
)
"""
HAS_RUN = "text => loupe.traces.get('typed')?.answer?.text === text"
PLAYED = ".studio-strip >> nth=0 >> li bdi"
CONTINUED = 16
PHONE = {"width": 390, "height": 844}


class Tiny(NamedTuple):
    folder: Path
    kind: Any
    """The transformers class that runs the model."""
    first: str
    then: str
    """The text with which the page is opened (`first`), and the one then typed."""

    @property
    def name(self) -> str:
        return f"models/{self.folder.name}"

    def opened(self) -> Checkpoint:
        return open_folder(self.folder)

    def reference(self) -> Any:
        return self.kind.from_pretrained(self.folder, attn_implementation="eager").eval()


@pytest.fixture(scope="module")
def tinies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tiny]:
    """Write models whose weights are float16 numbers, so that the browser gets the same ones."""
    place = tmp_path_factory.mktemp("models")
    write_models(place)
    write_gpt2(place / "tiny-gpt2")
    write_llama(place / "tiny-llama")
    odd = write_llama(place / "odd-tokenizer") / "tokenizer.json"
    odd.write_text(json.dumps(json.loads(odd.read_text()) | {"normalizer": {"type": "Nmt"}}))
    for file in place.glob("*/model.safetensors"):
        weights = {name: weight.half().float() for name, weight in load_file(file).items()}
        save_file(weights, file, metadata={"format": "pt"})
    spoken, words = ("The fox", "The fox jumps over"), ("star moon", "star moon lamp coin")
    goes_on = transformers.AutoModelForCausalLM
    return {
        "GPT-2": Tiny(place / "tiny-gpt2", goes_on, *spoken),
        "Llama": Tiny(place / "tiny-llama", goes_on, *spoken),
        "BERT": Tiny(place / "audit-bert", transformers.AutoModelForMaskedLM, *words),
        "T5": Tiny(place / "audit-t5", transformers.AutoModelForSeq2SeqLM, *words),
        "odd": Tiny(place / "odd-tokenizer", goes_on, *spoken),
    }


@pytest.fixture(scope="module")
def address(tinies: dict[str, Tiny], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folders = os.pathsep.join(str(tiny.folder) for tiny in tinies.values())
    with serve(tmp_path_factory.mktemp("logs"), {"LOUPE_MODELS": folders}) as served:
        yield served


@contextmanager
def opened(line: Line, address: str, tiny: Tiny, path: str) -> Iterator[Page]:
    """Open a page whose messages do not reach Python until its line is released."""
    page = line.page
    line.reset()
    page.set_viewport_size(SIZE)
    with untroubled(page.context):
        page.goto(f"{address}/{path}?checkpoint={tiny.name}&source={tiny.first}&lang=en")
        ready(page)
        page.wait_for_function("loupe.traces.size > 0 || loupe.page !== 'attention'")
        line.is_held = True
        yield page


def field(page: Page) -> Locator:
    return page.locator(".st-key-source input")


def type_in(page: Page, tiny: Tiny) -> None:
    """Type the missing part of the text key by key."""
    field(page).press("End")
    field(page).press_sequentially(tiny.then.removeprefix(tiny.first))
    page.wait_for_function(HAS_RUN, arg=tiny.then)
    page.wait_for_function("loupe.selection.run === 'typed'")


def run_of(tiny: Tiny, continued: int = 1) -> Run:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(record, "MAX_CONTINUED", continued)
        return make_run(tiny.opened(), tiny.then)


def attentions(tiny: Tiny, run: Run) -> dict[str, list[torch.Tensor]]:
    """Return the attention weights of transformers by kind and layer."""
    read, written = torch.tensor([run.source.ids]), torch.tensor([run.target_ids[:-1]])
    inputs = {"input_ids": read if run.info.config.has_encoder else written}
    if run.anatomy.translates:
        inputs["decoder_input_ids"] = written
    with torch.no_grad():
        found = tiny.reference()(**inputs, output_attentions=True, use_cache=False)
    if run.anatomy.translates:
        return {
            "encoder self-attention": found.encoder_attentions,
            "decoder self-attention": found.decoder_attentions,
            "cross-attention": found.cross_attentions,
        }
    [site] = run.anatomy.sites
    return {site.name: found.attentions}


@pytest.mark.parametrize("name", ["GPT-2", "BERT", "Llama", "T5"])
def test_attention_follows_each_key_before_python_answers(
    line: Line, address: str, tinies: dict[str, Tiny], name: str
):
    tiny = tinies[name]
    run = run_of(tiny)
    with opened(line, address, tiny, "attention") as page:
        type_in(page, tiny)
        told = {side: tuple(of) for side, of in page.evaluate("loupe.run().tokens").items() if of}
        assert told == {side: of for side, of in run.texts.items() if of}
        expect(page.locator(".loupe-live-mark")).to_have_text("as you type")
        allowed = dict(rooms(dict(named_tensors(run.trace))))
        for kind, layers in attentions(tiny, run).items():
            for layer, weights in enumerate(layers):
                path = attention_name(kind, layer)
                [ours] = page.evaluate(TENSORS, [path]).values()
                close = allowed[path][0]
                assert find_tensor(run.trace, path).shape == weights.shape
                assert worst(np.reshape(ours, weights[0].shape), weights[0], close) <= 1, path
        checks = page.locator(".cell-checks summary")
        expect(checks.first).to_have_text("✓ all 13 steps agree with float64")
        line.release()
        field(page).press("Enter")
        page.wait_for_function("loupe.selection.run !== 'typed'")
        mark = page.locator(".loupe-live-mark")
        expect(mark).to_have_text("≈")
        assert "at most" in (mark.get_attribute("title") or "")


def test_the_map_follows_each_key(line: Line, address: str, tinies: dict[str, Tiny]):
    tiny = tinies["GPT-2"]
    run = run_of(tiny)
    with opened(line, address, tiny, "map") as page:
        type_in(page, tiny)
        size = f"{run.trace.decoder.output.size(1)} × {run.info.config.d_model}"
        expect(page.locator(".loupe-map").last).to_contain_text(size)


@pytest.mark.parametrize("name", ["GPT-2", "T5"])
def test_decoding_plays_what_is_written_for_the_typed_text(
    line: Line, address: str, tinies: dict[str, Tiny], name: str
):
    tiny = tinies[name]
    run = run_of(tiny, CONTINUED)
    ids = torch.tensor([run.source.ids])
    how = {"do_sample": False, "num_beams": 1, "pad_token_id": 0}
    most = len(run.target_ids) - (1 if run.anatomy.translates else ids.size(1))
    with torch.no_grad():
        written = tiny.reference().generate(ids, max_new_tokens=most, min_length=0, **how)[0]
    tokens = run.info.tokenizers.target.tokens(written.tolist())
    assert len(tokens) == len(run.target_ids)
    with opened(line, address, tiny, "decoding") as page:
        before = page.locator(PLAYED).all_inner_texts()
        type_in(page, tiny)
        expect(page.locator(PLAYED)).to_have_text(tokens, use_inner_text=False)
        page.set_viewport_size(PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        field(page).fill(tiny.first)
        expect(page.locator(PLAYED)).to_have_text(before, use_inner_text=False)
        type_in(page, tiny)
        line.release()
        field(page).press("Enter")
        page.wait_for_function("loupe.selection.run !== 'typed'")
        expect(page.locator(PLAYED)).to_have_text(tokens, use_inner_text=False)


def test_a_model_whose_tokenizer_no_browser_follows_says_that_it_waits_for_enter(
    line: Line, address: str, tinies: dict[str, Tiny]
):
    tiny = tinies["odd"]
    with opened(line, address, tiny, "attention") as page:
        field(page).focus()
        said = page.locator(".loupe-coming")
        expect(said).to_have_text(
            "This model answers when you press Enter, because your browser cannot follow its "
            "tokenizer."
        )
        field(page).press("End")
        field(page).press_sequentially(" jumps")
        line.release()
        field(page).press("Enter")
        wanted = list(make_run(tiny.opened(), "The fox jumps").texts["target"])
        page.wait_for_function(
            "wanted => String(loupe.run().tokens.target) === wanted", arg=",".join(wanted)
        )
