from pathlib import Path

import pytest

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from sample_data.pairs import Pair
from tests.checkpoints import write_carrying
from viz.run import alignment
from viz.run.alignment import gold_links, right_target
from viz.run.copied_words import words_to_tell
from viz.run.making import make_run

BROKEN = Pair(
    "the <x1> is broken .",
    "le <x1> est cassé .",
    frozenset({(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)}),
)


@pytest.fixture(scope="module")
def carrying(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    folder: Path = write_carrying(tmp_path_factory.mktemp("carrying"))
    return load_checkpoint(folder / "everyday-paper")


@pytest.fixture
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the sample data contain one sentence."""
    pairs = {BROKEN.source: BROKEN}
    monkeypatch.setattr(alignment, "known_pair", lambda _task, source: pairs.get(source))


def test_a_run_shows_the_words_that_it_carries_over(carrying):
    run = make_run(carrying, "The laptop is broken.")
    assert run.text == "le laptop est cassé."
    assert run.source.tokens == ("the", "laptop", "is", "broken", ".", "</s>")
    assert run.target_tokens == ("<s>", "le", "laptop", "est", "cassé", ".", "</s>")
    run = make_run(carrying, "Zoltan doesn't see the “laptops”!")
    assert run.source.tokens[-2] == "."  # "!" is not in its training text
    run = make_run(carrying, "Zoltan doesn't see the “laptops”.")
    assert run.text == "Zoltan ne voit pas les laptops."
    assert make_run(carrying, "see 25").text == "donne-moi 25"


def test_runs_that_share_a_model_do_not_share_their_words(carrying):
    first = make_run(carrying, "the laptop is broken .")
    second = make_run(carrying, "the kettle is broken .")
    ids = [step.token for step in first.steps]
    assert ids == [step.token for step in second.steps]
    for run, text in ((first, "le laptop est cassé."), (second, "le kettle est cassé.")):
        assert run.info.tokenizers.target.decode(ids) == run.text == text
    assert carrying.info.tokenizers.target.decode(ids) == "le <x1> est cassé."
    assert make_run(carrying, "the is broken").info is carrying.info


def test_a_given_target_may_name_what_is_carried_over(carrying):
    run = make_run(carrying, "the laptop is broken .", target="Le LAPTOP est cassé.")
    written = make_run(carrying, "the laptop is broken .")
    assert [step.token for step in run.steps] == [step.token for step in written.steps]
    assert run.text == "le laptop est cassé."
    assert "<unk>" in make_run(carrying, "the is broken", target="le laptop").text


def test_each_word_is_told_once_and_numbers_are_not(carrying):
    encode = carrying.info.tokenizers.encode_source
    told = words_to_tell(encode("Zoltan does not see 25 . the laptop is the LAPTOP . see ZOLTAN"))
    assert told == [("Zoltan", "a name"), ("laptop", "a masculine noun")]
    assert words_to_tell(encode("see 25")) == []


@pytest.mark.usefixtures("_known")
def test_gold_is_known_of_a_sentence_with_words_that_are_carried_over(carrying):
    run = make_run(carrying, "The laptop is broken.")
    assert gold_links(run) == {(target, source) for source, target in BROKEN.alignment}
    assert gold_links(make_run(carrying, "The laptops is broken.")) is None
    assert gold_links(make_run(carrying, "the <x1> is broken .")) is None


@pytest.mark.usefixtures("_known")
def test_the_right_target_has_the_words_that_are_carried_over(carrying):
    def right(text: str) -> str | None:
        return right_target(carrying.info, text, carrying.info.tokenizers.encode_source(text))

    assert right("The laptop is broken.") == "le laptop est cassé ."
    assert right("the laptops is broken .") is None
    assert right("the is broken .") is None
