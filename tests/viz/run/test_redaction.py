"""The redaction removes the answer from the parcel and leaves everything else as it was."""

from collections.abc import Iterator

import numpy as np
import pytest

from tests.viz.run.reachable import numbers_in
from viz.run.axes import KINDS, AttentionKind, attention_trace
from viz.run.codes import CODE_COVERED
from viz.run.payload import Payload, pack_run
from viz.run.record import Run
from viz.run.redaction import (
    COVERED_TOKEN,
    CoveredRows,
    Redaction,
    cover_parcel,
    hidden_parts,
)

OWN, CROSS = "encoder self-attention", "cross-attention"


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


def numbers_of_row(run: Run, kind: AttentionKind, row: int) -> Iterator[float]:
    """Yield every number that a row of an attention computes, in every layer and head."""
    for layer in range(run.info.config.n_encoder_layers):
        trace = attention_trace(run, kind, layer)
        for part in (trace.query, trace.scores, trace.weights, trace.heads):
            yield from part[0, :, row].flatten().tolist()
        yield from trace.output[0, row].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_no_number_of_a_hidden_row_can_be_found(parcel: Payload, run: Run, kind: AttentionKind):
    true = {number for number in numbers_of_row(run, kind, 2) if number not in (0, 1)}
    assert true <= numbers_in(parcel.data)
    hidden = cover_parcel(parcel, Redaction("key", (CoveredRows(kind, (2,)),)))
    assert true.isdisjoint(numbers_in(hidden.data))


def test_no_probability_of_a_hidden_word_can_be_found(parcel: Payload):
    steps = parcel.data["meta"]["told"]["steps"]
    true = {one["probability"] for step in steps for one in step["candidates"]}
    assert true <= numbers_in(parcel.data)
    hidden = cover_parcel(parcel, Redaction("nothing", (), (3,)))
    assert true.isdisjoint(numbers_in(hidden.data))


def test_tensors_that_tell_nothing_are_sent_as_they_were(parcel: Payload):
    hidden = cover_parcel(parcel, Redaction("key", (CoveredRows(CROSS, (2,)),)))
    before, after = parcel.data["meta"]["tensors"], hidden.data["meta"]["tensors"]
    sides = {name.partition(".")[0] for name in after["arrays"]}
    assert sides == {"encoder", "source_embedding"}
    sent = [each["number"].to_numpy() for each in (parcel.data["numbers"], hidden.data["numbers"])]
    for name, array in after["arrays"].items():
        size = int(np.prod(array["shape"]))
        assert array["shape"] == before["arrays"][name]["shape"]
        was = sent[0][before["arrays"][name]["at"] :][:size]
        assert (sent[1][array["at"] :][:size] == was).all()


def test_texts_stay_where_only_the_encoder_is_hidden(parcel: Payload):
    hidden = cover_parcel(parcel, Redaction("key", (CoveredRows(OWN, (2,)),)))
    assert hidden.data["meta"]["told"] == parcel.data["meta"]["told"]


def test_all_covers_of_a_kind_are_kept(parcel: Payload):
    rows = (CoveredRows(CROSS, (1, 2)), CoveredRows(OWN, (0,)), CoveredRows(CROSS, (4,)))
    hidden = hidden_parts(parcel.data["meta"]["kinds"], Redaction("query", rows))
    assert hidden["rows"] == {OWN: (0,), CROSS: (1, 2, 4)}
    assert hidden["by_readers"]


def test_where_one_cover_hides_all_rows_all_are_hidden(parcel: Payload):
    some, all_rows = CoveredRows(CROSS, (1,)), CoveredRows(CROSS, ())
    for order in ((some, all_rows), (all_rows, some)):
        hidden = hidden_parts(parcel.data["meta"]["kinds"], Redaction("key", order))
        assert hidden["rows"] == {CROSS: ()}
