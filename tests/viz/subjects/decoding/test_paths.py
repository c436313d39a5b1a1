import math

import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.decoder import DecoderCache
from model.decoding.beam import best, best_hypothesis, penalty
from model.decoding.greedy import greedy, sample
from model.text.tokenizer import EOS_ID
from tests.checkpoints import BY_HEART, DEFAULT
from viz.run.making import make_run
from viz.subjects.decoding.paths import (
    DecodedPath,
    branch_to,
    decode_path,
)
from viz.subjects.decoding.strategy import Fork, Shaping, Strategy


@pytest.fixture(scope="module")
def source(run):
    return torch.tensor([run.source.ids])


def test_the_total_is_the_log_probability_of_the_whole_path(run, checkpoint, source):
    path = decode_path(run, checkpoint.model, Strategy(), (Fork(3, 9),))
    logits = checkpoint.model(source, torch.tensor([(1, *path.ids[:-1])])).logits[0]
    logs = logits.double().log_softmax(-1)
    by_hand = sum(logs[t, token].item() for t, token in enumerate(path.ids))
    assert path.total == pytest.approx(by_hand, abs=1e-5)


@pytest.mark.parametrize("mode", ["Greedy", "Sampling"])
def test_a_branch_keeps_what_stands_before_its_fork_and_decodes_on(run, checkpoint, source, mode):
    strategy = Strategy(mode, Shaping(1.5, 0, 0.9), seed=7)
    base = decode_path(run, checkpoint.model, strategy)
    path = decode_path(run, checkpoint.model, strategy, (Fork(2, 11),))
    prefix = (*base.ids[:2], 11)
    again = greedy(checkpoint.model, source, prefix=prefix)
    if mode == "Sampling":
        again = sample(checkpoint.model, source, prefix=prefix, temperature=1.5, top_p=0.9, seed=7)
    assert path.ids == tuple(step.token for step in again)
    assert [step.forced for step in path.steps[:4]] == [True, True, True, False]


@pytest.mark.parametrize("mode", ["Greedy", "Sampling"])
def test_of_a_branch_that_ends_at_once_no_more_is_read_than_is_said(
    run, checkpoint, mode, monkeypatch
):
    widths: list[int] = []
    decode = checkpoint.model.decode
    base = decode_path(run, checkpoint.model, Strategy(mode))

    def count(target, *args, **kwargs):
        widths.append(target.size(1))
        return decode(target, *args, **kwargs)

    monkeypatch.setattr(checkpoint.model, "decode", count)
    branch = decode_path(run, checkpoint.model, Strategy(mode), (Fork(2, EOS_ID),))
    assert branch.ids == (*base.ids[:2], EOS_ID)
    assert widths[-1] == 3


@pytest.mark.slow
def test_a_branch_at_the_last_step_that_may_be_written_is_scored(unmasked_run, checkpoints_folder):
    model = load_checkpoint(checkpoints_folder / "everyday-headlist").model
    strategy = Strategy("Sampling", Shaping(5.0))
    path = decode_path(unmasked_run, model, strategy)
    last = len(path.ids) - 1
    branch = decode_path(unmasked_run, model, strategy, (Fork(last, 5),))
    assert branch.ids[: last + 1] == (*path.ids[:last], 5)


@pytest.mark.parametrize(
    ("fork", "message"),
    [
        (Fork(400, 5), r"a step must be from 0 to \d+, got 400"),
        (Fork(0, 99_999), r"a token must be from 0 to \d+, got 99999"),
    ],
)
def test_a_fork_that_the_path_lacks_is_an_error(run, checkpoint, fork, message):
    with pytest.raises(ValueError, match=message):
        decode_path(run, checkpoint.model, Strategy(), (fork,))


def test_a_given_target_is_the_path_and_branches_decode_on(checkpoint):
    given = make_run(checkpoint, DEFAULT, target=BY_HEART["the cat sleeps ."])
    path = decode_path(given, checkpoint.model, Strategy("Given"))
    assert path.steps is given.steps
    assert decode_path(given, checkpoint.model, Strategy("Greedy")).ids != path.ids
    branch = decode_path(given, checkpoint.model, Strategy("Given"), (Fork(1, 8),))
    source = torch.tensor([given.source.ids])
    again = tuple(greedy(checkpoint.model, source, prefix=(path.ids[0], 8)))
    assert branch.ids == tuple(step.token for step in again)


def test_the_forks_to_some_tokens_are_found(run, checkpoint):
    def find(branch):
        return decode_path(run, checkpoint.model, Strategy(), branch)

    base = find(())
    assert branch_to(find, base.ids[:4]) == ()
    wanted = (*base.ids[:2], 20, *find((Fork(2, 20),)).ids[3:5], 7)
    branch = branch_to(find, wanted)
    assert branch[0] == Fork(2, 20)
    assert find(branch).ids[: len(wanted)] == wanted


BEAM = Strategy("Beam", width=3, length_penalty=0.6)


@pytest.fixture(scope="module")
def searched(run, checkpoint) -> DecodedPath:
    return decode_path(run, checkpoint.model, BEAM)


def test_a_beam_plays_the_best_hypothesis(searched):
    assert searched.ids == best(searched.search)
    found = best_hypothesis(searched.search)
    assert searched.total == pytest.approx(found.total, abs=1e-5)
    assert found.score == pytest.approx(found.total / penalty(len(searched.ids), 0.6))


def test_a_beam_says_what_the_cache_of_all_hypotheses_holds(checkpoint, source, searched):
    step = searched.steps[2]
    live = [h for h in searched.search[1].hypotheses if h.kept and not h.finished]
    model = checkpoint.model
    _, encoder = model.encode(source)
    _, decoder = model.decode(
        torch.ones(len(live), 2, dtype=torch.long),
        encoder.output.expand(len(live), -1, -1),
        source_mask=model.source_mask(source),
    )
    assert step.cached_positions == 2
    assert step.cache_bytes == DecoderCache.of(decoder).n_bytes
    assert searched.steps[0].cache_bytes == 0


def test_a_beam_a_branch_searches_on_from_its_prefix(run, checkpoint, searched):
    branch = decode_path(run, checkpoint.model, BEAM, (Fork(1, 20),))
    assert branch.ids[:2] == (searched.ids[0], 20)
    assert [step.forced for step in branch.steps[:3]] == [True, True, False]
    assert [len(step.hypotheses) for step in branch.search[:3]] == [1, 1, 6]
    assert math.isclose(branch.total, sum(s.log_probability for s in branch.steps))
