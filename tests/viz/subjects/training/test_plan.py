import pytest

from sample_data.gold import find_gold
from sample_data.tasks import is_held_out
from viz.subjects.training import plan as plans
from viz.subjects.training.plan import Plan, make_corpus, make_trainer


@pytest.fixture(autouse=True)
def _few_pairs(monkeypatch):
    monkeypatch.setattr(plans, "PAIRS", 300)


def test_what_is_shown_or_held_out_is_not_trained_on():
    corpus = make_corpus(Plan(longest=6))
    source = corpus.tokenizers.source
    trained = {source.decode(example.source) for example in corpus.training}
    held_out = {source.decode(example.source) for example in corpus.held_out}
    assert source.decode(corpus.shown.source) == "reverse 3 1 4 1 5 9"
    assert source.decode(corpus.shown.source) not in trained
    assert held_out
    assert not any(is_held_out(text) for text in trained)
    assert all(is_held_out(text) for text in held_out)
    assert {len(text.split()) - 1 for text in trained} == {3, 4, 5, 6}


def test_what_is_shown_is_taken_out_of_what_was_drawn(monkeypatch):
    before = make_corpus(Plan(longest=4))
    drawn = before.tokenizers.source.decode(before.training[0].source)
    pair = find_gold("digits", drawn)
    monkeypatch.setattr(plans, "shown_pair", lambda _: pair)
    after = make_corpus(Plan(longest=4))
    assert len(after.training) == len(before.training) - 1
    assert drawn not in {after.tokenizers.source.decode(e.source) for e in after.training}


def test_the_first_weights_follow_from_the_seed():
    def first(seed: int):
        plan = Plan(seed=seed)
        trainer, _ = make_trainer(plan, make_corpus(plan))
        return trainer.model.generator.weight

    assert first(3).equal(first(3))
    assert not first(3).equal(first(4))
