"""What is counted of the sentences of a file, with a shipped checkpoint."""

from pathlib import Path

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from sample_data.coverage import cover, main, read_sentences
from tests.checkpoints import SHIPPED

EVERYDAY = Path(__file__).parent / "everyday.txt"


@pytest.fixture(scope="module")
def sentences():
    return cover(load_checkpoint(SHIPPED / "everyday-paper-0"), read_sentences(EVERYDAY))


@pytest.mark.slow
def test_most_everyday_sentences_have_no_unknown_word(sentences):
    assert len(sentences) == 200
    assert sum(sentence.is_known for sentence in sentences) >= 180
    read = [sentence for sentence in sentences if sentence.expected is not None]
    assert len(read) >= 180
    assert sum(sentence.is_right for sentence in read) / len(read) >= 0.75


def test_what_is_unknown_and_what_is_carried_over_are_told_apart(tmp_path, capsys):
    path = tmp_path / "typed"
    path.write_text("# a heading\n\nZoltan has 2 dogs.\nThe dog is gigantic.\nThe dog is red.\n")
    main([str(path), "--list"])
    counted, _, listed = capsys.readouterr().out.partition("translated as it would")
    assert "3  sentences" in counted
    assert "1  without an unknown word (33.3%)" in counted
    assert "1  with words that are carried over" in counted
    assert "1  with words that cannot be" in counted
    assert "unknown gigantic: The dog is gigantic." in listed
    assert "dog is red" not in listed


def test_a_file_without_a_sentence_is_refused(tmp_path, capsys):
    (tmp_path / "empty").write_text("# only a heading\n")
    with pytest.raises(SystemExit):
        main([str(tmp_path / "empty")])
    assert "has no sentence" in capsys.readouterr().err
