"""The page Touch with a model of one text: Python answers, and the browser runs nothing."""

import dataclasses

import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import ONE_TEXT
from viz.run.making import make_run
from viz.run.requirements import predicting
from viz.subjects.touch.pulls import telling_pull

NAMES = ("tiny-gpt", "tiny-bert", "tiny-alibi")


def pulled_weights(model, run, pull):
    """Return the logits of a pass in which the pull changes the result of each softmax."""
    from model import attention

    softmax = attention.softmax_in_place

    def moved(scores, mask, fill):
        weights = softmax(scores, mask, fill).clone()
        weights[:, :, pull.row] = 0
        weights[:, :, pull.row, pull.to] = 1
        return weights

    ids = torch.tensor([run.target_ids[:-1] or run.source.ids])
    with pytest.MonkeyPatch.context() as patch, torch.inference_mode():
        patch.setattr(attention, "softmax_in_place", moved)
        texts = (None, ids) if run.steps else (ids, None)
        return model(*texts).logits[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_pull_that_is_offered_writes_another_word(one_text_checkpoints, name):
    checkpoint = load_checkpoint(one_text_checkpoints / name)
    run = make_run(checkpoint, ONE_TEXT)
    pull = telling_pull(run, checkpoint.model)
    if pull is None:  # a random model may change no word at any pull
        pytest.skip("no pull of this model changes a word")
    assert not run.steps or pull.row >= run.n_prompt >= pull.row - len(run.steps)
    own = run.trace.logits[0, pull.row].argmax()
    assert pulled_weights(checkpoint.model, run, pull)[pull.row].argmax() != own


def test_a_model_that_predicts_nothing_has_no_page(one_text_checkpoints):
    anatomy = make_run(load_checkpoint(one_text_checkpoints / "tiny-bert"), ONE_TEXT).anatomy
    assert predicting(anatomy) is None
    assert predicting(dataclasses.replace(anatomy, predicts=None))
