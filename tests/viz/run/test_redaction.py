"""What is asked leaves the parcel; all else stays as it was."""

import numpy as np
import pytest

from viz.run.axes import KINDS
from viz.run.codes import CODE_COVERED
from viz.run.payload import Payload, pack_run
from viz.run.record import Run
from viz.run.redaction import COVERED_TOKEN, CoveredRows, Redaction, cover_parcel


@pytest.fixture(scope="module")
def parcel(run: Run) -> Payload:
    return pack_run(run, "seen")


def stack(parcel: Payload, kind: str) -> np.ndarray:
    found = parcel.data["meta"]["kinds"][kind]
    shape = (found["layers"], found["heads"], *found["drawn"])
    codes = parcel.data["codes"]["code"].to_numpy()
    return codes[found["offset"] : found["offset"] + int(np.prod(shape))].reshape(shape)


def test_a_row_is_covered_in_every_head_and_no_other_cell_is(parcel: Payload):
    asked = CoveredRows("encoder self-attention", (2,))
    hidden = cover_parcel(parcel, Redaction("key", (asked,)))
    before, after = stack(parcel, asked.kind), stack(hidden, asked.kind)
    assert (after[:, :, 2] == CODE_COVERED).all()
    assert (np.delete(after, 2, axis=2) == np.delete(before, 2, axis=2)).all()
    for kind in KINDS[1:]:
        assert (stack(hidden, kind) == stack(parcel, kind)).all()


def test_a_covered_word_takes_the_rows_along_that_write_it(parcel: Payload):
    hidden = cover_parcel(parcel, Redaction("key", (), (3, 4)))
    target = hidden.data["meta"]["tokens"]["target"]
    assert target[3:5] == (COVERED_TOKEN, COVERED_TOKEN)
    assert target[:3] == parcel.data["meta"]["tokens"]["target"][:3]
    for kind in KINDS[1:]:
        rows = (stack(hidden, kind) == CODE_COVERED).all(axis=(0, 1, 3))
        assert np.flatnonzero(rows).tolist() == [2, 3]


def test_the_first_word_is_written_by_no_row(parcel: Payload):
    hidden = cover_parcel(parcel, Redaction("key", (), (0,)))
    assert hidden.data["meta"]["tokens"]["target"][0] == COVERED_TOKEN
    for kind in KINDS:
        assert (stack(hidden, kind) == stack(parcel, kind)).all()


def test_nothing_else_that_tells_is_sent(parcel: Payload):
    assert parcel.data["meta"]["gold"]
    hidden = cover_parcel(parcel, Redaction("nothing"))
    meta = hidden.data["meta"]
    assert (meta["gold"], hidden.gold) == (None, None)
    assert meta["run"] == hidden.key != parcel.key


def test_all_of_a_matrix_that_is_sent_reduced_is_covered(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("viz.run.codes.MOST_CODES", 400)
    reduced = pack_run(run, "reduced")
    asked = CoveredRows("cross-attention", (0,))
    hidden = cover_parcel(reduced, Redaction("key", (asked,)))
    assert (stack(hidden, asked.kind) == CODE_COVERED).all()


def test_where_a_row_is_asked_for_rows_are_named_after_what_reads(parcel: Payload):
    hidden = cover_parcel(parcel, Redaction("query"))
    kinds = hidden.data["meta"]["kinds"]
    assert kinds["cross-attention"]["queries"] == ("target", 0)
    assert kinds["encoder self-attention"]["queries"] == ("source", 0)
    assert hidden.said["meta"]["axes"]["cross-attention"][0].endswith("that reads")


def test_what_was_packed_stays_as_it_is(parcel: Payload):
    before = parcel.data["codes"]["code"].to_numpy().copy()
    cover_parcel(parcel, Redaction("key", tuple(CoveredRows(kind, ()) for kind in KINDS)))
    assert (parcel.data["codes"]["code"].to_numpy() == before).all()
