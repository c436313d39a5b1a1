import pytest

from sample_data.generate import main
from sample_data.pairs import format_line
from sample_data.tasks import TASKS, held_out_path, make_held_out


@pytest.mark.slow
def test_generating_again_gives_the_first_lines_of_the_committed_held_out_file():
    """Only the first lines are generated, because reading each sentence back takes time."""
    committed = held_out_path(TASKS["everyday"]).read_text(encoding="utf-8").splitlines()
    assert [format_line(pair) for pair in make_held_out("everyday", 60)] == committed[:60]
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
    assert "TASK must be one of everyday, digits, induction" in said
