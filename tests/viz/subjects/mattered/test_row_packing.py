from dataclasses import replace

import numpy as np
import pytest

from model.attribution.measures import MEASURES
from sample_data.agreement import Agreement, Agreements
from sample_data.records import record_path, weights_digest, write_record
from tests.checkpoints import DEFAULT
from viz.models import running
from viz.run.inputs import Inputs
from viz.subjects.mattered import measures_cache as cache
from viz.subjects.mattered import row_packing
from viz.subjects.mattered.row_packing import pack_measures

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
STEP = 3


def agreements() -> Agreements:
    good, bad = Agreement(0.9, 0.8, 0.4), Agreement(0.1, 0.2, 0.0)
    measures = dict.fromkeys(MEASURES, good) | {
        "position": Agreement(0.7, 0.7, 0.3),
        "gradient": bad,
    }
    return Agreements("", 100, 900, 800, 0.5, 64, 0.1, 2.0, measures)


def known_of(name: str, source: str = DEFAULT) -> Agreements | None:
    return cache.agreements(running.open_view(Inputs(name, source, "", "cpu")))


def packed(*, again=True, known=None, step=STEP):
    view = running.open_view(Inputs("everyday-paper", DEFAULT, "", "cpu"))
    run_again = cache.again(view, step) if again else None
    return pack_measures(view, step, cache.seen(view), run_again, known)


def test_rows_are_sent_as_far_as_they_are_known():
    data = packed()
    by_name = {measure["name"]: measure for measure in data["measures"]}
    assert tuple(by_name) == MEASURES
    steps = len(data["written"])
    assert all(row is not None for row in by_name["attention"]["rows"])
    known = [i for i in range(steps) if by_name["swapped"]["rows"][i] is not None]
    assert known == [STEP]
    assert all(len(m["rows"][STEP] or ()) == len(data["source"]) for m in data["measures"])
    # No swap is known for punctuation.
    assert by_name["swapped"]["rows"][STEP][-1] is None


def test_of_a_long_run_only_the_row_in_view_is_sent(monkeypatch):
    monkeypatch.setattr(row_packing, "_MOST_NUMBERS", 10)
    for measure in packed()["measures"]:
        assert [i for i, row in enumerate(measure["rows"]) if row is not None] == [STEP]


def test_without_running_again_the_others_are_left_out():
    names = {measure["name"] for measure in packed(again=False)["measures"]}
    assert {"attention", "direct"} < names
    assert not {"gradient", "swapped"} & names


def test_agreement_is_said_but_not_of_the_swap_with_itself():
    by_name = {m["name"]: m for m in packed(known=agreements())["measures"]}
    assert (by_name["direct"]["swap"], by_name["direct"]["gold"]) == ("80%", "90%")
    assert (by_name["swapped"]["swap"], by_name["swapped"]["gold"]) == ("", "90%")
    assert packed()["headings"] == ("", "")


def test_numbers_are_those_of_the_run():
    view = running.open_view(Inputs("everyday-paper", DEFAULT, "", "cpu"))
    row = {m["name"]: m for m in packed()["measures"]}["attention"]["rows"][STEP]
    weights = view.run.trace.decoder.layers[-1].cross_attn.weights[0, :, STEP].mean(0)
    np.testing.assert_allclose(row, weights, rtol=1e-4)


@pytest.mark.usefixtures("own_checkpoints")
def test_nothing_is_known_of_other_weights(tmp_path, monkeypatch):
    assert known_of("everyday-paper") is None
    monkeypatch.setattr("sample_data.records.FOLDER", tmp_path)
    name = "digits-paper"
    own = replace(agreements(), weights=weights_digest(tmp_path / name))
    write_record(record_path(Agreements, name), own)
    assert known_of(name, "copy 1 2 3") == own
    name = "everyday-headlist"
    write_record(record_path(Agreements, name), agreements())
    assert known_of(name) is None
