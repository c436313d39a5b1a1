"""Embeddings of models of one text: one vocabulary, and its states by layer."""

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import ONE_TEXT
from tests.model.foreign.imports.folders import write_llama
from tests.pages import open_page, sent, texts
from viz.run.making import make_run
from viz.subjects.embeddings.groups import SPECIAL, group
from viz.subjects.embeddings.points import states, vocabulary_sides

SIDES = {"tiny-gpt": "target", "tiny-bert": "source"}


@pytest.mark.parametrize("name", SIDES)
def test_states_are_those_of_the_one_text(one_text_checkpoints, name):
    checkpoint = load_checkpoint(one_text_checkpoints / name)
    run, side = make_run(checkpoint, ONE_TEXT), SIDES[name]
    assert vocabulary_sides(run.info) == (side,)
    shown = states(run, side)
    assert (
        shown.steps
        == {
            "tiny-gpt": ("embedding", "layer 0", "layer 1", "final norm"),
            "tiny-bert": ("embedding", "+ positions, kind of text, norm", "layer 0", "layer 1"),
        }[name]
    )
    rows = checkpoint.model.embedding_of(side).weight[list(shown.ids)].detach()
    assert np.allclose(shown.vectors[0], rows * 32**0.5, atol=1e-5)
    last = run.trace.stack_of(side).output[0]
    assert torch.allclose(torch.from_numpy(shown.vectors[-1]), last)


def test_special_tokens_are_those_that_the_tokenizer_names(one_text_checkpoints):
    info = load_checkpoint(one_text_checkpoints / "tiny-gpt").info
    words = info.tokenizers.target
    ids = range(words.vocab_size)
    groups = group(info, "target", words.tokens(ids), ids)
    assert {i for i in ids if groups[i] == SPECIAL} == words.specials.all


@pytest.mark.usefixtures("one_text_app")
@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize("section", ["all", "layers"])
def test_each_part_is_drawn(name, section):
    page = open_page("embeddings", name, source=ONE_TEXT, **{f"more_embeddings_{section}": "true"})
    assert "translate" not in texts(page)
    assert "nearest to" in texts(page)


def test_tokens_that_share_a_name_are_neighbours_each(tmp_path, monkeypatch):
    """A letter and its byte, both called "r", are two of the ten tokens nearest to "q"."""
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    write_llama(tmp_path / "llama")
    page = open_page("embeddings", "models/llama", "The fox", embeddings_target_token="q")
    names = sent(page, "nearest")[0]["words"]
    assert (len(names), names.count("r")) == (10, 2)
