import pytest

from sample_data.generate import main
from sample_data.pairs import format_line
from sample_data.tasks import TASKS, held_out_path, make_held_out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["everyday", "english-french"])
def test_generating_again_gives_the_committed_held_out_file(name):
    committed = held_out_path(TASKS[name]).read_text(encoding="utf-8").splitlines()
    # everyday sentences are each read back, which takes time
    count = 60 if name == "everyday" else len(committed)
    assert [format_line(pair) for pair in make_held_out(name, count)] == committed[:count]
    assert len(committed) == 1000


def test_files_are_written_in_place(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "sample_data.generate.held_out_path", lambda task: tmp_path / f"{task.name}.tsv"
    )
    main(["digits"])
    assert (tmp_path / "digits.tsv").read_bytes() == held_out_path(TASKS["digits"]).read_bytes()
    with pytest.raises(SystemExit):
        main(["digit"])
    said = capsys.readouterr().err
    assert "TASK must be one of everyday, english-french, digits, induction" in said
