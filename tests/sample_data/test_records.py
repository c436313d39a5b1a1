"""Records of checkpoints belong to the shipped weights, and are read as they were written."""

import json

import pytest

from sample_data.agreement import Agreements
from sample_data.evaluate import main
from sample_data.one_text.record import HeadTable
from sample_data.records import (
    FOLDER,
    from_plain,
    read_record,
    record_path,
    to_plain,
    weights_digest,
    write_record,
)
from sample_data.tasks import load_held_out
from tests.checkpoints import SHIPPED, write_checkpoints

KINDS = (Agreements, HeadTable)


@pytest.mark.parametrize("kind", KINDS)
def test_all_files_are_of_the_shipped_weights_and_come_back_as_they_are_written(kind, tmp_path):
    names = [path.stem for path in (FOLDER / kind.folder).glob("*.json")]
    assert len(names) >= 3
    for name in names:
        found = read_record(record_path(kind, name), kind)
        assert found.weights == weights_digest(SHIPPED / name), name
        write_record(tmp_path / "some" / f"{name}.json", found)
        assert read_record(tmp_path / "some" / f"{name}.json", kind) == found
        assert from_plain(kind, json.loads(json.dumps(to_plain(found)))) == found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["[]", "{}", '{"cuts": [{"a": 1}], "pairs": []}', "no json"])
def test_a_file_that_says_something_else_is_refused(kind, text, tmp_path):
    assert read_record(tmp_path / "none.json", kind) is None
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(ValueError, match=f"other.json has no {kind.__name__}"):
        read_record(tmp_path / "other.json", kind)


def test_the_main_checkpoints_are_measured():
    for name in ("everyday-paper-0", "everyday-prenorm", "digits-paper"):
        assert record_path(Agreements, name).exists()


def test_the_command_records_what_is_measured_of_a_checkpoint(tmp_path, monkeypatch, capsys):
    checkpoints = write_checkpoints(tmp_path)
    monkeypatch.setattr("sample_data.evaluate._CHECKPOINTS", checkpoints)
    monkeypatch.setattr("sample_data.evaluate.load_held_out", lambda task: load_held_out(task)[:2])
    monkeypatch.setattr("sample_data.records.FOLDER", tmp_path / "recorded")
    main(["digits-paper"])
    path = record_path(Agreements, "digits-paper")
    assert capsys.readouterr().out == f"wrote {path}\n"
    assert read_record(path, Agreements).weights == weights_digest(checkpoints / "digits-paper")
