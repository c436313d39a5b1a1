"""Runs are saved to a safetensors file and read back."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from torch import nn

import loupe
from tests.checkpoints import load_shipped
from tests.loupe.test_foreign import TEXT, Attending, Speller, ids_of, sharp, t5
from tests.model.foreign.huggingface.families import DECODERS

SENTENCE = "the small black cat sleeps ."


def traced(which: str) -> Any:
    if which == "own":
        return loupe.trace(load_shipped("everyday-paper-0"), SENTENCE)
    if which == "edited":
        edits = {
            "*.self_attn.scores[1]": torch.zeros_like,
            "encoder.layers.0.self_attn.mask": _open,
        }
        return loupe.trace(load_shipped("everyday-paper-0"), SENTENCE, edits=edits)
    if which == "parts":
        return loupe.trace(load_shipped("digits-paper"), "3 1 4", names=["*.weights", "logits"])
    if which == "translator":
        return loupe.trace(t5(), ids_of, TEXT)
    if which == "module":
        return loupe.trace(sharp(Attending), Speller(), TEXT)
    if which == "torch":
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        return loupe.trace(nn.TransformerEncoder(layer, 2), inputs=torch.randn(1, 4, 32))
    return loupe.trace(sharp(DECODERS[which]), Speller(), TEXT)


def _open(mask: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(mask)


KINDS = ["own", "edited", "parts", "translator", "module", "torch", "GPT-2", "Gemma 2", "GPT-OSS"]


@pytest.mark.parametrize("which", KINDS)
def test_a_run_comes_back_as_it_was(which: str, tmp_path: Path) -> None:
    run = traced(which)
    path = tmp_path / "run.safetensors"
    run.save(path)
    again = loupe.load_run(path)
    assert again.names() == run.names()
    for name, x in run.items():
        assert torch.equal(again[name].nan_to_num(), x.nan_to_num()), name
        assert again[name].dtype == x.dtype
    assert again.tokens == run.tokens
    for part in ("model", "headline", "origin", "text", "given", "languages", "fingerprint"):
        assert getattr(again, part) == getattr(run, part), part
    assert repr(again) == repr(run)
    assert type(again.record) is type(run.record)
    if which == "parts":
        with pytest.raises(ValueError, match="no attention to draw"):
            again.html()
    else:
        assert again.html() == run.html()


def test_a_lens_reads_a_run_that_was_saved(tmp_path: Path) -> None:
    model = sharp(DECODERS["GPT-2"])
    run = loupe.trace(model, ids_of(TEXT))
    run.save(tmp_path / "run")
    again = loupe.load_run(tmp_path / "run")
    assert torch.equal(loupe.lens(model, again).logits, loupe.lens(model, run).logits)


def save(path: Path, about: Mapping[str, str]) -> Path:
    safetensors.torch.save_file({"logits": torch.zeros(1, 2, 3)}, path, dict(about))
    return path


def test_a_run_of_an_earlier_version_has_its_tensors(tmp_path: Path) -> None:
    sides = {"source": "[]", "target": json.dumps(["a", "b"])}
    run = loupe.load_run(save(tmp_path / "old", {"model": "m", "headline": "m: ...", **sides}))
    assert (run.model, run.tokens.target, run.names()) == ("m", ("a", "b"), ("logits",))


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"model": "m"},
        {"model": "m", "source": "[", "target": "[]"},
        {"model": "m", "source": "[]", "target": "[]", "loupe": "[]"},
        {"model": "m", "source": "[]", "target": "[]", "loupe": '{"outputs": ["x"]}'},
        {"model": "m", "source": "[]", "target": "[]", "loupe": '{"languages": []}'},
        {"model": "m", "source": "3", "target": "[]"},
    ],
)
def test_what_is_no_run_is_said(about: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"does not hold a run written by run.save"):
        loupe.load_run(save(tmp_path / "other", about))


def test_a_broken_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"no tensors")
    with pytest.raises(ValueError, match="is not a complete safetensors file"):
        loupe.load_run(tmp_path / "broken")
    with pytest.raises(FileNotFoundError):
        loupe.load_run(tmp_path / "nowhere")
    told = json.dumps({"record": "TransformerTrace", "names": ["logits"]})
    torn = save(tmp_path / "torn", {"model": "m", "source": "[]", "target": "[]", "loupe": told})
    assert loupe.load_run(torn).names() == ("logits",)
