import re

import pytest

from sample_data import g2p
from sample_data.generate import main
from sample_data.pairs import format_line
from sample_data.sounds import learn
from sample_data.tasks import TASKS, held_out_path, load_training, make_held_out


@pytest.mark.parametrize("name", TASKS)
def test_generating_again_gives_the_committed_held_out_file(name):
    committed = held_out_path(TASKS[name]).read_text(encoding="utf-8").splitlines()
    # everyday sentences are each read back, which takes time
    count = 200 if name == "everyday" else len(committed)
    assert [format_line(pair) for pair in make_held_out(name, count)] == committed[:count]
    assert len(committed) == 1000


def test_aligning_again_gives_the_committed_words():
    lines = g2p.WORDS_PATH.read_text(encoding="utf-8").splitlines(keepends=True)
    words = g2p.read_words()
    scores = learn(words)
    # One word in twenty: enough to see a change, and many seconds less.
    assert [g2p.format_word(word, scores) for word in words[::20]] == lines[::20]


def test_training_pairs_are_printed(capsys):
    main(["digits", "--training", "3", "--seed", "5"])
    expected = [format_line(pair) for pair in load_training("digits", 3, seed=5)]
    assert capsys.readouterr().out.splitlines() == expected


def test_files_are_written_in_place(tmp_path, monkeypatch):
    monkeypatch.setattr("sample_data.tasks._HELD_OUT_FOLDER", tmp_path)
    main(["digits"])
    assert (tmp_path / "digits.tsv").read_bytes().count(b"\n") == 1000


def test_g2p_words_are_chosen_anew(tmp_path, monkeypatch):
    monkeypatch.setattr("sample_data.tasks._HELD_OUT_FOLDER", tmp_path)
    monkeypatch.setattr(g2p, "WORDS_PATH", tmp_path / "words.tsv")
    (tmp_path / "dictionary").write_text("cat K AE1 T\ncat(2) K AO1 T # odd\nbob B AA1 B\n")
    (tmp_path / "common").write_text("cat\ndog\n")
    main(["g2p", f"--dictionary={tmp_path}/dictionary", f"--words={tmp_path}/common"])
    g2p._all_pairs.cache_clear()
    assert (tmp_path / "words.tsv").read_text() == "cat\tK AE T\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["digit"], "TASK must be one of everyday, english-french, .*, got digit"),
        (["g2p", "--words", "w"], "--dictionary and --words go together"),
    ],
)
def test_bad_arguments_are_refused(capsys, arguments, message):
    with pytest.raises(SystemExit):
        main(arguments)
    assert re.search(message, capsys.readouterr().err)
