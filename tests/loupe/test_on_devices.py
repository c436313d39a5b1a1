"""Models on a GPU: on a pretend device always, and on a real one if there is one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from pandas.testing import assert_frame_equal
from torch import Tensor, nn
from torch.testing import assert_close

import loupe
from loupe.serving import _opened
from model.checkpoints.checkpoint import Checkpoint
from model.foreign.huggingface import Opened
from model.foreign.opening import open_model
from model.traces import find_tensor, named_tensors
from sample_data.one_text.tasks import any_task
from sample_data.pairs import Pair
from tests.checkpoints import SHIPPED
from tests.loupe.test_foreign import TEXT, WORDS, Attending, Translator, ids_of, rules, sharp, t5
from tests.model.foreign.huggingface.families import DECODERS, ENCODERS
from tests.model.foreign.imports.folders import write_llama
from tests.sham import DEVICES, FLOAT32, on_device
from viz.corpus.inputs import Drawn
from viz.corpus.measure import Measurer
from viz.run.making import make_run
from viz.run.record import Run
from viz.run.recorded_run import make_recorded_run


class Masked(Translator):
    """Creates its mask on the device of its inputs."""

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        n = target.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(n, device=target.device)
        return self.out(self.core(self.embed(source), self.embed(target), tgt_mask=mask))


class Started:
    """A tokenizer that puts a token before every text, because a module needs a first token."""

    def encode(self, text: str) -> list[int]:
        return [0, *ids_of(text)]

    def decode(self, ids: list[int]) -> str:
        return " ".join(WORDS[id - 2] if id > 1 else "<s>" for id in ids)


MODELS = {
    "GPT-2": lambda: sharp(DECODERS["GPT-2"]),
    "Gemma 2": lambda: sharp(DECODERS["Gemma 2"]),
    "BERT": lambda: sharp(ENCODERS["BERT"]),
    "T5": t5,
    "nn.Transformer": lambda: sharp(Masked),
    "scaled_dot_product_attention": lambda: sharp(Attending),
}


@pytest.fixture(autouse=True, params=DEVICES)
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    with on_device(request.param):
        yield request.param


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_traced_edited_and_drawn_where_it_is(name: str, device: str) -> None:
    here = MODELS[name]()
    there = MODELS[name]().to(device)
    target = "a dog" if name in ("T5", "nn.Transformer") else None
    run, usual = (loupe.trace(model, ids_of, TEXT, target=target) for model in (there, here))
    assert run.names() == usual.names()
    for each in run:
        assert_close(run[each].cpu(), usual[each], **FLOAT32)
    assert all(run[each].device.type == device for each in run.names("*.weights"))
    assert run.origin == usual.origin
    assert run.html()
    off = run.names("*.weights")[0]
    edited = loupe.trace(there, ids_of, TEXT, target=target, edits={off: torch.zeros_like})
    assert not edited[off].any()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["T5", "nn.Transformer"])
def test_the_pages_have_a_run_of_it(name: str, device: str) -> None:
    tokenizer = Started() if name == "nn.Transformer" else rules()
    there, here = (
        _opened(model, tokenizer, TEXT, "a dog")
        for model in (MODELS[name]().to(device), MODELS[name]())
    )
    assert there.model.device.type == device
    ran, usual = map(_run_of, (there, here))
    assert ran.text == usual.text
    for each, tensor in named_tensors(usual.trace):
        assert_close(find_tensor(ran.trace, each), tensor, **FLOAT32)


KINDS_OF_CHECKPOINT = (
    *("everyday-paper-0", "everyday-learned", "everyday-prenorm", "everyday-headlist"),
    *("agreement", "induction-two-heads"),
)
"""Fixed and learned positions, both norm placements, separate heads, an encoder, a decoder."""


def _run_of(opened: Opened) -> Run:
    make = make_run if isinstance(opened, Checkpoint) else make_recorded_run
    return make(opened, TEXT)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS_OF_CHECKPOINT)
def test_a_checkpoint_computes_there_what_it_does_here(name: str, device: str) -> None:
    there, here = (loupe.load(name, device=where) for where in (device, "cpu"))
    text = any_task(here.info.task).examples[0]
    run, usual = loupe.trace(there, text), loupe.trace(here, text)
    assert (run.text, run.names()) == (usual.text, usual.names())
    assert {run[each].device.type for each in run} == {device}
    for each in run:
        assert_close(run[each].cpu(), usual[each], **FLOAT32)


def test_a_folder_is_loaded_onto_it(tmp_path: Path, device: str) -> None:
    folder = write_llama(tmp_path)
    there, here = (loupe.trace(loupe.load(folder, device=d), "The fox") for d in (device, "cpu"))
    assert_close(there["logits"].cpu(), here["logits"], **FLOAT32)


@pytest.mark.slow
def test_effects_are_measured_there(tmp_path: Path, device: str) -> None:
    """Patching (two methods), path patching, ablation, the lens, attribution, and writing."""
    path, texts = write_llama(tmp_path), ("The fox runs", "The dog runs")
    found, usual = (_effects(loupe.load(path, device=where), *texts) for where in (device, "cpu"))
    assert found.keys() == usual.keys()
    for each, values in usual.items():
        assert values.nan_to_num().any()
        assert_close(found[each].cpu(), values, atol=2e-5, rtol=1e-3, equal_nan=True)


def _effects(opened: Opened, clean: str, corrupt: str) -> dict[str, Tensor]:
    run = loupe.trace(opened, clean)
    first, second = run["logits"][0, -1].topk(2).indices.tolist()
    lead = (first, second)
    measured = {
        "heads": loupe.patch(opened, clean, corrupt, lead, of="heads"),
        "gradient": loupe.patch(opened, clean, corrupt, lead, of="heads", how="gradient"),
        "path": loupe.path_patch(opened, clean, corrupt, lead),
        "cut": loupe.ablate(opened, clean, lead),
        "parts": loupe.logit_attribution(opened, run, first, second),
    }
    state = run.names("decoder.layers.0.*")[0]
    traced = loupe.trace(opened, clean, grad=True)
    slope = traced.gradient(lambda run: run["logits"][0, -1, first], state)
    written = loupe.generate(opened, clean, max_new_tokens=4)
    return {
        **{name: effects.values for name, effects in measured.items()},  # noqa: PD011
        "lens": loupe.lens(opened, run).logits,
        "slope": slope[state],
        "written": torch.tensor([float(ord(letter)) for letter in written]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["everyday-paper-0", "agreement", "a folder"])
def test_an_atlas_is_measured_there(tmp_path: Path, name: str, device: str) -> None:
    path = write_llama(tmp_path) if name == "a folder" else SHIPPED / name
    there, here = (open_model(path, where) for where in (device, "cpu"))
    texts = any_task(here.info.task).examples[:3] if here.info.task else ("The fox", "The dog runs")
    pairs = [Pair(text, "", frozenset()) for text in texts]
    if here.anatomy.translates:
        pairs = list(Drawn(here.info.task, 3, 3).read(0, 3))
    found, usual = (Measurer(opened, cuts=True)(pairs) for opened in (there, here))
    assert found.keys() == usual.keys()
    for each, table in usual.items():
        assert_frame_equal(found[each].to_pandas(), table.to_pandas(), atol=1e-4, rtol=0)
