"""Each field that changes greedy text acts as in `generate`, in every way to write text."""

import json
from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tokenizers import Tokenizer, pre_tokenizers
from torch import nn

import loupe
from loupe.from_transformers import shown
from model.decoding.beam import beam, best
from model.decoding.greedy import greedy, sample
from model.foreign.huggingface import record_folder
from model.foreign.imports.load import open_folder
from model.training.evaluation import greedy_batch
from tests.model.foreign.imports.encoders import SMALL_PAIR, sharpened, written
from tests.model.foreign.imports.oracle import save

LENGTH = 10
PROMPTS = [[5, 9, 31], [7]]
SOURCE = [9, 62, 62, 62, 7, 2]
_LLAMA = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "vocab_size": 90, "max_position_embeddings": 64, "num_key_value_heads": 2,
    "bos_token_id": 1, "eos_token_id": None, "pad_token_id": None,
}  # fmt: skip
_PAIR = SMALL_PAIR | {
    "decoder_start_token_id": 1, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
    "max_position_embeddings": 64,
}  # fmt: skip


def fields(usual: list[int]) -> Mapping[str, Mapping[str, Any]]:
    """Return fields that each change the usual output; `end` is a token of it."""
    end = usual[5]
    return {
        "several ends": {"eos_token_id": [2, end]},
        "suppressed": {"suppress_tokens": [usual[0], usual[3]]},
        "suppressed at first": {"begin_suppress_tokens": [usual[0]]},
        "repetition": {"repetition_penalty": 1.6},
        "n-grams": {"no_repeat_ngram_size": 1},
        "words of two tokens": {"bad_words_ids": [[usual[0], usual[1]]]},
        "words of one token": {"bad_words_ids": [[usual[0]], [usual[2]]]},
        "bias": {"sequence_bias": [[[usual[0]], -20.0], [[usual[1], usual[2]], -20.0]]},
        "first": {"forced_bos_token_id": 11},
        "last": {"forced_eos_token_id": 13},
        "either last": {"forced_eos_token_id": [13, 17], "eos_token_id": [17]},
        "shortest": {"min_length": 6, "eos_token_id": list(range(2, 80))},
        "shortest new": {"min_new_tokens": 6, "eos_token_id": list(range(2, 80))},
        "shorter": {"exponential_decay_length_penalty": [2, 1.9], "eos_token_id": 2},
        "of the source": {"encoder_repetition_penalty": 9.0, "encoder_no_repeat_ngram_size": 2},
        "together": {
            "repetition_penalty": 1.3, "no_repeat_ngram_size": 2, "suppress_tokens": [usual[0]],
            "bad_words_ids": [[usual[1]]], "min_length": 5, "forced_eos_token_id": 2,
            "eos_token_id": [2, end],
        },
        "nothing": {
            "repetition_penalty": 1.0, "no_repeat_ngram_size": 0, "min_length": 0,
            "suppress_tokens": None, "bad_words_ids": None, "num_beams": 4, "do_sample": True,
            "temperature": 0.6, "top_p": 0.9, "top_k": 20, "max_length": 4, "length_penalty": 2.0,
        },
    }  # fmt: skip


NAMES = tuple(fields(list(range(12))))
IN_MEMORY = {"together", "bias"}
"""Fields also tested on a model in memory, which reads the same rules, but not from a file."""
RECORDED_PAIR = {"of the source", "first", "shortest", "together"}
"""Fields also tested on a recorded translator: rules that depend on its source or its start.

The others act on the written ids alone, and a recorded decoder is tested with all of them.
"""


def say(folder: Path, said: Mapping[str, Any]) -> None:
    (folder / "generation_config.json").write_text(json.dumps(said))


def continued(model: nn.Module, prompt: list[int], length: int = LENGTH) -> list[int]:
    """Let transformers continue a prompt; return the ids that it writes."""
    given = torch.tensor([prompt])
    mask = torch.ones_like(given)
    found = written(model, given, length, attention_mask=mask, pad_token_id=0)
    return found[len(prompt) - 1 :]


@pytest.fixture(scope="module")
def llama(tmp_path_factory) -> Path:
    model = sharpened("LlamaForCausalLM LlamaConfig", 1, **_LLAMA)
    folder = save(model, tmp_path_factory.mktemp("models") / "llama")
    words = Tokenizer.from_file(str(folder / "tokenizer.json"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def bart(tmp_path_factory) -> Path:
    model = sharpened("BartForConditionalGeneration BartConfig", 0, **_PAIR)
    return save(model, tmp_path_factory.mktemp("models") / "bart")


@pytest.fixture(scope="module")
def plain_llama(llama: Path) -> tuple[nn.Module, list[list[int]]]:
    """Let transformers open the model and continue each prompt without rules."""
    say(llama, {})
    model = transformers.AutoModelForCausalLM.from_pretrained(llama).eval()
    return model, [continued(model, prompt) for prompt in PROMPTS]


@pytest.fixture(scope="module")
def plain_bart(bart: Path) -> tuple[nn.Module, list[int]]:
    say(bart, {})
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(bart).eval()
    start = {"decoder_start_token_id": 1, "pad_token_id": 0}
    return model, written(model, torch.tensor([SOURCE]), LENGTH, **start)


def with_rules(plain: nn.Module, folder: Path) -> nn.Module:
    """Return the model with the rules that transformers reads in a folder."""
    theirs = copy(plain)
    theirs.generation_config = transformers.GenerationConfig.from_pretrained(folder)
    return theirs


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_decoder_writes_what_generate_writes(
    name: str, llama: Path, plain_llama: tuple[nn.Module, list[list[int]]]
) -> None:
    """Each prompt is tested by ids; the first one also as a text, with each kind of model."""
    plain, both = plain_llama
    differs = False
    for prompt, usual in zip(PROMPTS, both, strict=True):
        say(llama, fields(usual)[name])
        theirs = with_rules(plain, llama)
        expected = continued(theirs, prompt)
        differs |= expected != usual
        poured = open_folder(llama)
        ends = poured.info.tokenizers.target.specials.ends
        how = {"prefix": prompt[1:], "prompt": len(prompt) - 1, "bos_id": prompt[0], "eos_id": ends}
        how["max_length"] = len(prompt) - 1 + LENGTH
        drawn = sample(poured.model, None, **how, top_k=1)
        assert [step.token for step in drawn][len(prompt) - 1 :] == expected
        if prompt is not PROMPTS[0]:
            continue
        text = " ".join(f"w{id}" for id in prompt)
        for opened in (poured, record_folder(llama)):
            assert loupe.generate(opened, text, max_new_tokens=LENGTH).split() == [
                f"w{id}" for id in expected
            ]
        if name not in IN_MEMORY:
            continue
        kept = expected[:-1] if expected[-1] in ends else expected  # special tokens are not written
        fast = transformers.PreTrainedTokenizerFast.from_pretrained(llama)
        assert loupe.generate(theirs, fast, text, max_new_tokens=LENGTH).split() == [
            f"w{id}" for id in kept
        ]
    assert differs == (name != "nothing")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_translator_writes_what_generate_writes(
    name: str, bart: Path, plain_bart: tuple[nn.Module, list[int]]
) -> None:
    plain, usual = plain_bart
    source, start = torch.tensor([SOURCE]), {"decoder_start_token_id": 1, "pad_token_id": 0}
    say(bart, start | fields(usual)[name])
    theirs = with_rules(plain, bart)
    expected = written(theirs, source, LENGTH)
    assert (expected != usual) == (name != "nothing")
    poured = open_folder(bart)
    ends = poured.info.tokenizers.target.specials.ends
    how = {"max_length": LENGTH, "bos_id": 1, "eos_id": ends}
    assert [step.token for step in greedy(poured.model, source, **how)] == expected
    together = greedy_batch(poured.model, torch.cat([source, source]), **how)
    assert [list(ids) for ids in together] == [expected] * 2
    if name in RECORDED_PAIR:
        ids = record_folder(bart).model.write(source, (1,), most=LENGTH + 1, end=ends)
        assert list(ids[1:]) == expected
    if name not in ("of the source", "shorter"):  # these break a beam's scores
        searched = written(theirs, source, LENGTH, num_beams=3, length_penalty=0.0)
        found = best(tuple(beam(poured.model, source, width=3, length_penalty=0.0, **how)))
        assert list(found) == searched[: len(found)]


def test_a_model_in_memory_ends_as_its_generation_config_says(llama: Path) -> None:
    say(llama, {"eos_token_id": [5, 7], "repetition_penalty": 1.5})
    model = transformers.AutoModelForCausalLM.from_pretrained(llama).eval()
    fast = transformers.PreTrainedTokenizerFast.from_pretrained(llama, eos_token="w9")
    opened = shown(model, fast)
    assert opened.info.tokenizers.target.specials.ends == (5, 7)
    model.generation_config.eos_token_id = 50256  # not a word of this model
    assert shown(model, fast).info.tokenizers.target.specials.ends == (9,)
