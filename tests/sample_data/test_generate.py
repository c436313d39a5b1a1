import re

import pytest

from sample_data.generate import main
from sample_data.pairs import format_line
from sample_data.tasks import TASKS, held_out_path, load_training, make_held_out


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_generating_again_gives_the_committed_held_out_file(name):
    committed = held_out_path(TASKS[name]).read_text(encoding="utf-8").splitlines()
    # everyday sentences are each read back, which takes time
    count = 60 if name == "everyday" else len(committed)
    assert [format_line(pair) for pair in make_held_out(name, count)] == committed[:count]
    assert len(committed) == 1000


def test_training_pairs_are_printed(capsys):
    with pytest.raises(SystemExit):
        main(["digit"])
    said = capsys.readouterr().err
    assert re.search("TASK must be one of everyday, english-french, .*, got digit", said)
    main(["digits", "--training", "3", "--seed", "5"])
    expected = [format_line(pair) for pair in load_training("digits", 3, seed=5)]
    assert capsys.readouterr().out.splitlines() == expected


def test_files_are_written_in_place(tmp_path, monkeypatch):
    monkeypatch.setattr("sample_data.tasks._HELD_OUT_FOLDER", tmp_path)
    main(["digits"])
    assert (tmp_path / "digits.tsv").read_bytes().count(b"\n") == 1000
