"""Models opened from folders write as transformers does with the folders' settings."""

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

import loupe
from model.decoding.beam import beam, best
from model.decoding.greedy import greedy
from model.foreign.errors import FolderError
from model.foreign.imports.load import open_folder
from model.writing import WritingRules
from tests.model.foreign.imports.encoders import SMALL_PAIR, sharpened, written
from tests.model.foreign.imports.oracle import save

KINDS = {
    "BART": ("BartForConditionalGeneration BartConfig", 2),
    "Marian": ("MarianMTModel MarianConfig", 0),
}
SOURCE = torch.tensor([[9, 31, 44, 7, 2]])
LENGTH = 10


def folder_of(kind: str, path: Path, seed: int) -> tuple[Path, torch.nn.Module, int]:
    """Save a model whose folder has no generation_config.json."""
    name, start = KINDS[kind]
    settings = SMALL_PAIR | {"decoder_start_token_id": start, "pad_token_id": 0, "eos_token_id": 2}
    model = sharpened(name, seed, **settings, bos_token_id=1)
    folder = save(model, path)
    (folder / "generation_config.json").unlink(missing_ok=True)
    return folder, model, start


def say(folder: Path, name: str, **fields) -> None:
    path = folder / name
    said = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(said | fields))


@pytest.mark.slow
@pytest.mark.parametrize("file", ["config.json", "generation_config.json"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_writes_what_generate_writes(kind: str, file: str, tmp_path: Path) -> None:
    for seed in range(3):
        folder, model, start = folder_of(kind, tmp_path / str(seed), seed)
        usual = written(model, SOURCE, LENGTH)
        banned = [[usual[1]], [usual[3]], [2]]
        rules = {"forced_bos_token_id": usual[0] + 1, "bad_words_ids": banned}
        asked = {"decoder_start_token_id": start, "pad_token_id": 0, "eos_token_id": 2}
        say(folder, file, **asked, **rules)
        theirs = type(model).from_pretrained(folder).eval()
        assert theirs.generation_config.forced_bos_token_id == usual[0] + 1
        ours = open_folder(folder).model
        steps = greedy(ours, SOURCE, max_length=LENGTH, bos_id=start, eos_id=2)
        expected = written(theirs, SOURCE, LENGTH)
        assert [step.token for step in steps] == expected != usual
        searched = written(theirs, SOURCE, LENGTH, num_beams=3, length_penalty=0.0)
        options = {"max_length": LENGTH, "bos_id": start, "eos_id": 2}
        found = beam(ours, SOURCE, width=3, length_penalty=0.0, **options)
        assert list(best(tuple(found))) == searched


def test_what_generation_config_says_is_what_counts(tmp_path: Path) -> None:
    folder, _, _ = folder_of("BART", tmp_path, 0)
    say(folder, "config.json", forced_bos_token_id=7)
    assert open_folder(folder).model.rules == WritingRules(first=7)
    say(folder, "generation_config.json", bad_words_ids=[[4]])
    assert open_folder(folder).model.rules == WritingRules(never=(4,))


@pytest.mark.parametrize(
    "said",
    [
        {"bad_words_ids": 3},
        {"bad_words_ids": [["3"]]},
        {"forced_bos_token_id": 999_999},
        {"suppress_tokens": [-1]},
        {"eos_token_id": "2"},
        {"repetition_penalty": -1.0},
        {"sequence_bias": 7},
        {"sequence_bias": [[[999_999], 1.0]]},
        {"exponential_decay_length_penalty": [1, 1.1], "eos_token_id": None},
        {"guidance_scale": 2.0},
        {"stop_strings": ["."]},
        {"max_time": 3.0},
    ],
)
def test_what_is_not_followed_is_refused(said: dict, tmp_path: Path) -> None:
    folder, _, _ = folder_of("Marian", tmp_path, 0)
    say(folder, "generation_config.json", **said)
    with pytest.raises(FolderError, match=next(iter(said))):
        open_folder(folder)


def test_what_transformers_follows_is_refused_without_it(tmp_path: Path, monkeypatch) -> None:
    folder, _, _ = folder_of("Marian", tmp_path, 0)
    where = "model.foreign.imports.writing_rules.has_transformers"
    monkeypatch.setattr(where, lambda: False)
    say(folder, "generation_config.json", forced_bos_token_id=7, bad_words_ids=[[4]])
    assert open_folder(folder).model.rules == WritingRules(first=7, never=(4,))
    say(folder, "generation_config.json", repetition_penalty=1.5)
    with pytest.raises(FolderError, match=r"repetition_penalty.*pip install transformers"):
        open_folder(folder)


def test_a_given_target_of_bart_is_shifted_as_its_own_code_does(tmp_path: Path) -> None:
    folder, model, _ = folder_of("BART", tmp_path, 0)
    rules = Tokenizer.from_file(str(folder / "tokenizer.json"))
    rules.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    around = [("w1", 1), ("w2", 2)]
    rules.post_processor = processors.TemplateProcessing("w1 $A w2", special_tokens=around)
    rules.save(str(folder / "tokenizer.json"))
    fast = PreTrainedTokenizerFast(tokenizer_object=rules)
    read, labels = (torch.tensor([fast(text).input_ids]) for text in ("w9 w5", "w7 w8 w6"))
    expected = model(read, labels=labels)
    for run in (
        loupe.trace(loupe.load(folder), "w9 w5", target="w7 w8 w6"),
        loupe.trace(model, fast, "w9 w5", target="w7 w8 w6"),
    ):
        assert run.tokens.target == ("w2", "w1", "w7", "w8", "w6", "w2")
        assert torch.allclose(run["logits"], expected.logits, atol=1e-4)
