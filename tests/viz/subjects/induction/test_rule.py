"""When the page claims a pair of heads: for trained models, and never for random ones."""

import random
import re
from pathlib import Path

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

import loupe
from model.attribution.copying import LEAST_SHARE, LEAST_TIMES
from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from tests.loupe.test_effects import bytes_of
from tests.pages import open_page, sent, texts
from viz.run.making import make_run
from viz.subjects.induction.head_search import find_trick

TEXT = "river lamp horse bread moon star river lamp horse"


def save_random(folder: Path, seed: int, spread: float) -> Path:
    """Save a GPT-2 of 72 heads with normally distributed weights."""
    torch.manual_seed(seed)
    words = bytes_of(TEXT)
    config = GPT2Config(
        n_embd=96,
        n_layer=6,
        n_head=12,
        n_positions=64,
        vocab_size=words.get_vocab_size(),
        bos_token_id=0,
        eos_token_id=0,
        initializer_range=spread,
    )
    loupe.save(GPT2LMHeadModel(config).eval(), words, folder)
    return folder


@pytest.mark.parametrize("name", ["induction-one-head", "induction-two-heads"])
def test_trained_pairs_have_twice_what_is_asked_of_each_half(name: str):
    checkpoint = load_checkpoint(SHIPPED / name)
    words = [token for token in checkpoint.info.tokenizers.target.all_tokens if token.isalpha()]
    draw = random.Random(0)
    for _ in range(5):
        some = draw.sample(words, 6)
        trick = find_trick(make_run(checkpoint, " ".join([*some, *some[:3]])))
        assert trick is not None
        assert trick.before is not None
        assert trick.is_there
        halves = trick.before.on_previous, trick.copier.on_copies
        assert min(half.weight for half in halves) > 2 * LEAST_SHARE
        assert min(half.each / half.others for half in halves) > 1.5 * LEAST_TIMES


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_a_random_model_has_no_pair(tmp_path: Path, seed: int, spread: float):
    found = loupe.load(save_random(tmp_path, seed, spread))
    trick = find_trick(make_run(found, TEXT))
    assert trick is not None
    assert not trick.is_there


@pytest.mark.slow
def test_the_page_of_a_random_model_claims_no_mechanism(tmp_path, monkeypatch):
    save_random(tmp_path / "random", 0, 0.3)
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    page = open_page("induction", "models/random", TEXT)
    shown = texts(page)
    assert "No pair of heads does this here. The best pair is L" in re.sub("<[^>]*>", "", shown)
    assert re.search(r"at least 30%", shown)
    assert f"{LEAST_TIMES} times as much" in shown
    assert "It looks back" not in shown
    [data] = sent(page, "trick")
    assert not any(data["copier"]["does"])
    assert not any(data["before"]["does"])


def test_the_page_of_a_trained_model_states_the_same_rule():
    page = open_page("induction", "induction-one-head", TEXT)
    assert "It looks back" in texts(page)
    assert f"{LEAST_TIMES} times as much" in texts(page)
    [data] = sent(page, "trick")
    copies = [row for row, places in enumerate(data["followers"]) if places]
    assert data["copier"]["does"] == [row in copies for row in range(len(data["tokens"]))]
    assert data["before"]["does"][copies[0] - 1]
