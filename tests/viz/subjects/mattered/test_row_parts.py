import pytest

from model.attribution.logits import Addend, addends, split_state
from tests.shipped import shipped
from viz.subjects.mattered.lead_bars import lead_table
from viz.subjects.mattered.row_parts import make_lead, rivals

PAPER = "everyday-paper-0"


def test_rivals_are_the_most_probable_other_tokens():
    run, _ = shipped(PAPER)
    step = run.target_tokens.index("il") - 1
    found = rivals(run, step)
    assert len(found) == 6
    assert run.steps[step].token not in found
    logits = run.steps[step].logits[list(found)].tolist()
    assert logits == sorted(logits, reverse=True)


def test_small_parts_are_counted_together_and_nothing_is_lost():
    run, model = shipped(PAPER)
    step = run.target_tokens.index("il") - 1
    written, other = run.steps[step].token, rivals(run, step)[0]
    parts = addends(model, split_state(model, run.trace), step, written, other)
    lead = make_lead(run, step, other, parts)
    names, logits = run.info.tokenizers.target, run.steps[step].logits
    assert (lead.token, lead.other) == ("il", names.token(other))
    assert lead.lead == pytest.approx((logits[written] - logits[other]).item())
    assert len(lead.shown) + lead.rest_count == len(parts)
    assert lead.total == pytest.approx(sum(part.value for part in parts))
    assert abs(lead.error) < 1e-4
    largest = max(abs(part.value) for part in parts)
    assert all(abs(part.value) >= 0.02 * largest for part in lead.shown)


def test_each_bar_begins_where_the_one_before_ended():
    run, _ = shipped(PAPER)
    parts = (
        Addend("token", "a", 3.0),
        Addend("feed-forward", "b", -1.0, 1),
        Addend("output bias", "c", 2.0),
    )
    table = str(lead_table(make_lead(run, 0, rivals(run, 0)[0], parts)))
    bars = [
        row.partition("lead-zero")[2].partition("%")[2].partition("style=")[2].partition(">")[0]
        for row in table.split("<tr")[2:]
    ]
    assert bars == [
        '"left:0.00%;width:75.00%"',
        '"left:50.00%;width:25.00%"',
        '"left:50.00%;width:50.00%"',
        '"left:0.00%;width:100.00%"',
    ]
    assert table.count("lead-down") == 1
