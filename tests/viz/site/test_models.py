"""Models of a site: their names, the places of their files, and refused folders."""

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from model.foreign.hub import cache
from tests.model.foreign.imports.folders import edit_config, edit_tokenizer, write_gpt2, write_llama
from tests.model.foreign.imports.oracle import read_as_it_is
from viz.models import browser_weights
from viz.site import models
from viz.site.__main__ import main
from viz.site.models import SiteError, address_of, check_addresses, named

OWN = "everyday-paper-0"


@pytest.fixture(autouse=True)
def _no_folders_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOUPE_MODELS", "")  # `named` adds folders to it


@pytest.fixture
def gpt2(tmp_path: Path) -> Path:
    return write_gpt2(tmp_path / "a gpt2 (mine)")


def test_a_model_is_named_by_its_folder_its_name_in_the_cache_or_its_own_name(
    gpt2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert named(OWN) == OWN
    assert named(str(gpt2)) == "models/a gpt2 (mine)"
    assert named(str(gpt2)) == "models/a gpt2 (mine)"
    assert os.environ["LOUPE_MODELS"].split(os.pathsep).count(str(gpt2)) == 1
    commit = "0123456789abcdef0123456789abcdef01234567"
    kept = tmp_path / "hub" / "models--someone--small"
    write_llama(kept / "snapshots" / commit)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(commit)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert cache.find_cached(models.read_name("someone/small"))
    assert named("someone/small").startswith("models/")
    assert named("someone/other") == "someone/other"


def test_an_address_has_letters_that_every_host_takes():
    assert address_of("models/a gpt2 (mine)") == "models/a-gpt2-mine-"
    assert address_of(OWN) == f"models/{OWN}"


def test_two_models_with_one_address_are_refused():
    check_addresses(["models/a b", "models/a c"])
    with pytest.raises(SiteError, match=r"models/a b and models/a\+b would have the same name"):
        check_addresses(["models/a b", "models/a+b"])


def test_the_files_are_those_that_are_told(gpt2: Path, tmp_path: Path):
    out = tmp_path / "site"
    assert main([str(out), "--model", str(gpt2), "--lang", "en", "--bits", "16"]) == 0
    about = json.loads((out / "models" / "a-gpt2-mine-.json").read_text())
    assert [
        {
            "bytes": len(data := (out / "models" / f"a-gpt2-mine-.{at}").read_bytes()),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        for at, _ in enumerate(about["parts"])
    ] == about["parts"]
    assert about["config"]["n_decoder_layers"] == 2
    assert {file.name for file in (out / "models").iterdir()} == {
        "a-gpt2-mine-.json",
        *(f"a-gpt2-mine-.{at}" for at in range(len(about["parts"]))),
    }
    assert (out / "tokenizers.js").exists()


def recorded(folder: Path) -> None:
    edit_config(folder, scale_attn_by_inverse_layer_idx=True)


def with_rules(folder: Path) -> None:
    rules = {"eos_token_id": 0, "repetition_penalty": 1.5}
    (folder / "generation_config.json").write_text(json.dumps(rules))


def not_portable(folder: Path) -> None:
    normalise(folder, {"type": "Nmt"})


def no_words(folder: Path) -> None:
    """Make the tokenizer drop every character."""
    normalise(folder, {"type": "Replace", "pattern": {"Regex": "."}, "content": ""})


def normalise(folder: Path, normalizer: dict[str, Any]) -> None:
    edit_tokenizer(folder, lambda values: values.update(normalizer=normalizer))
    read_as_it_is(folder)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (recorded, "runs in transformers' own code, which browsers cannot run"),
        (with_rules, "has rules for writing that only transformers can apply"),
        (not_portable, "cannot run in a browser: its normalizer Nmt has no browser version"),
        (no_words, "cannot run the text “The cat sat on the mat because”: a text must have at"),
    ],
)
def test_what_no_browser_runs_is_refused_before_anything_is_written(
    gpt2: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[Path], None],
    message: str,
):
    spoil(gpt2)
    check_refused(tmp_path / "site", ["--model", OWN, "--model", str(gpt2)], message, capsys)


def test_what_is_too_large_is_refused_before_anything_is_written(
    gpt2: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    small = write_llama(tmp_path / "small")
    monkeypatch.setattr(browser_weights, "MOST_BYTES", 25_000)
    message = "may have at most 0 MB of weights"
    chosen = ["--model", str(small), "--model", str(gpt2)]
    check_refused(tmp_path / "site", chosen, message, capsys)


def test_one_file_holds_no_third_party_model(
    gpt2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    message = "one file can hold only a small checkpoint of Loupe; write models/a gpt2"
    check_refused(tmp_path / "a.html", ["--model", str(gpt2), "--one-file"], message, capsys)


def test_two_folders_of_one_address_and_a_name_that_nothing_has(
    gpt2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    other = write_gpt2(tmp_path / "others" / "a gpt2 [mine]")
    chosen = ["--model", str(gpt2), "--model", str(other)]
    check_refused(tmp_path / "site", chosen, "would have the same name in the site", capsys)
    check_refused(tmp_path / "site", ["--model", "no/such"], "no/such", capsys)


def check_refused(
    out: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Expect one sentence, the exit status of a wrong command line, and no files."""
    with pytest.raises(SystemExit) as stopped:
        main([str(out), "--lang", "en", *options])
    assert stopped.value.code == 2
    said = capsys.readouterr()
    assert message in re.sub(r"\s+", " ", said.err)
    assert "Traceback" not in said.err
    assert not out.exists()
