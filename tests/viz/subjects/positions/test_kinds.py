"""Positions that are not vectors, compared with models that were never given any."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from model.checkpoints.checkpoint import load_checkpoint
from model.transformer import Transformer
from tests.checkpoints import ONE_TEXT
from tests.pages import open_page, texts
from tests.tiny import shaken, tiny_config
from viz.run.making import make_run
from viz.subjects.positions.kinds import added_by_distance, moved_apart
from viz.subjects.positions.position_edits import moved
from viz.subjects.positions.reruns import guesses, hidden_gap, rerun

IDS = torch.tensor([[4, 5, 6, 4, 7, 5]])


@pytest.fixture(scope="module")
def checkpoints(one_text_checkpoints):
    names = ("tiny-gpt", "tiny-bert", "tiny-alibi")
    return {name: load_checkpoint(one_text_checkpoints / name) for name in names}


def t5_like() -> Transformer:
    config = tiny_config("paper", positions="relative", relative_buckets=8, n_decoder_layers=2)
    torch.manual_seed(0)
    return shaken(Transformer(config))


def without_positions(model: Transformer) -> Transformer:
    bare = Transformer(replace(model.config, positions="none"))
    bare.load_state_dict(model.state_dict(), strict=False)
    return bare.eval()


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-alibi", "t5"])
@torch.inference_mode()
def test_taken_away_the_model_is_one_that_has_no_positions(checkpoints, name):
    model = t5_like() if name == "t5" else checkpoints[name].model
    sides = [side for side, part in (("source", model.encoder), ("target", model.decoder)) if part]
    ids = [IDS.clamp(max=model.config.predicted_vocab_size - 1) if s in sides else None
           for s in ("source", "target")]  # fmt: skip
    edits = moved(model, dict.fromkeys(sides, torch.arange(6)), 9, zeroed=True)
    own = model(*ids).logits
    found = model(*ids, edits=edits).logits
    assert_close(found, without_positions(model)(*ids).logits, atol=1e-5, rtol=1e-5)
    assert (found - own).abs().max() > 1e-3


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-alibi"])
@torch.inference_mode()
def test_a_text_moved_as_a_whole_stays_the_same_and_reversed_does_not(checkpoints, name):
    model = checkpoints[name].model
    own = model(None, IDS).logits
    shifted = moved(model, {"target": torch.arange(6) + 5}, 12, zeroed=False)
    assert_close(model(None, IDS, edits=shifted).logits, own, atol=1e-5, rtol=1e-5)
    reversed_ = moved(model, {"target": torch.arange(6).flip(0)}, 12, zeroed=False)
    assert (model(None, IDS, edits=reversed_).logits - own).abs().max() > 1e-3


def test_a_prompt_is_gone_on_from_without_positions(checkpoints):
    checkpoint = checkpoints["tiny-gpt"]
    run = make_run(checkpoint, ONE_TEXT)
    changed = rerun(run, checkpoint.model, "zeroed", "both", 0)
    bare = make_run(replace(checkpoint, model=without_positions(checkpoint.model)), ONE_TEXT)
    assert changed.text == bare.text
    target = torch.tensor([run.target_ids[:-1]])
    with torch.inference_mode():
        logits = without_positions(checkpoint.model)(None, target).logits
    assert_close(changed.forced.trace.logits, logits, atol=1e-5, rtol=1e-5)


def test_a_model_that_only_reads_guesses_each_token_at_its_place(checkpoints):
    checkpoint = checkpoints["tiny-bert"]
    run = make_run(checkpoint, ONE_TEXT)
    changed = rerun(run, checkpoint.model, "zeroed", "both", 0)
    assert changed.text == ""
    assert [step.token for step in guesses(changed.forced)] == list(run.source.ids)
    assert not changed.forced.trace.source_embedding.positions.any()
    assert hidden_gap(run, changed) > 1e-3


def test_what_a_head_adds_by_distance_is_its_slope(checkpoints):
    added = added_by_distance(checkpoints["tiny-alibi"].model, "target", range(5))
    slopes = 2.0 ** -np.array([2, 4, 6, 8])
    assert np.allclose(added, -slopes[:, None] * np.arange(5))
    both = added_by_distance(t5_like(), "source", range(-2, 3))
    assert len({*both[0].round(6).tolist()}) == 5


def test_a_score_moved_apart_goes_through_that_of_the_run(checkpoints):
    run = make_run(checkpoints["tiny-gpt"], ONE_TEXT)
    attention = run.trace.decoder.layers[1].self_attn
    apart = moved_apart(run.info.config, attention, 3, (6, 2), range(32))
    assert apart.here == 4
    assert apart.scores[4] == pytest.approx(apart.score, abs=1e-5)
    assert apart.error < 1e-4
    assert np.ptp(apart.scores) > 1e-2


@pytest.mark.usefixtures("one_text_app")
@pytest.mark.parametrize(
    ("name", "fold", "said"),
    [
        ("tiny-gpt", "turn", "by angles that grow with their position"),
        ("tiny-alibi", "added", "falls by, for each position"),
    ],
)
def test_the_page_says_how_this_model_knows_of_order(name, fold, said):
    page = open_page("positions", name, source=ONE_TEXT, **{f"more_positions_{fold}": "true"})
    assert said in texts(page)
    assert "loupe-fail" not in texts(page)
