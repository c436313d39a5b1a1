"""The list of changes with undo and redo, compared with a plain list of the same changes."""

import pytest

from model.interventions.kinds import Intervention
from viz.address import history
from viz.address.changes import MOST_CHANGES, Change, change_for
from viz.run.inputs import Inputs

INPUTS = Inputs("everyday-paper", "the cat sleeps .", "", "cpu")
WEIGHTS = "encoder.layers.0.self_attn.weights"


@pytest.fixture(autouse=True)
def _session(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(history.st, "session_state", {})


def off(head: int) -> Change:
    return Change(Intervention("zero", f"encoder.layers.{head // 8}.self_attn.heads", head % 8))


A, B, C, D = map(off, range(4))


def test_undo_and_redo_go_through_the_same_lists_one_by_one():
    lists = [(), (A,), (A, B), (A, B, C)]
    for now in lists[1:]:
        history.keep(now)
    for before in reversed(lists[:-1]):
        assert history.before() == before
        history.undo()
        assert history.changes() == before
    assert history.before() is None
    for after in lists[1:]:
        assert history.undone() == after
        history.redo()
        assert history.changes() == after
    assert history.undone() is None
    history.redo()
    assert history.changes() == lists[-1]


def test_after_another_change_nothing_is_left_to_be_redone():
    for now in ((A,), (A, B)):
        history.keep(now)
    history.undo()
    history.keep((A, C))
    assert history.undone() is None
    history.undo()
    assert history.changes() == (A,)


def test_the_same_list_is_no_step():
    history.keep((A,))
    history.keep((A,))
    history.undo()
    assert history.changes() == ()


def test_of_too_many_changes_the_oldest_go():
    made = [off(head) for head in range(MOST_CHANGES + 3)]
    for count in range(1, len(made) + 1):
        history.keep((*history.changes(), made[count - 1]))
    assert history.changes() == tuple(made[3:])
    history.undo()
    assert history.changes() == tuple(made[2:-1])


def test_a_second_change_of_a_place_takes_the_place_of_the_first():
    pulls = [
        Intervention("point", WEIGHTS, rows=(1,), columns=(column,), amount=0.8)
        for column in (0, 2)
    ]
    elsewhere = Intervention("point", WEIGHTS, rows=(2,), columns=(0,), amount=0.8)
    history.add([pulls[0], elsewhere], INPUTS)
    history.add([pulls[1]], INPUTS)
    assert history.in_force(INPUTS) == (elsewhere, pulls[1])
    assert history.in_force(INPUTS._replace(source="the dog sleeps .")) == ()


def test_an_exchange_is_taken_back_in_one_step():
    history.keep((A, B))
    history.exchange([A.intervention], [C.intervention, D.intervention], INPUTS)
    assert history.changes() == (B, C, D)
    history.undo()
    assert history.changes() == (A, B)


def test_what_is_switched_off_stays_on_the_list_and_is_not_made():
    history.keep((A, B))
    history.switch({0})
    assert history.in_force(INPUTS) == (B.intervention,)
    assert [change.is_on for change in history.changes()] == [False, True]
    history.undo()
    assert history.in_force(INPUTS) == (A.intervention, B.intervention)


def test_of_a_list_too_long_for_a_link_those_of_other_texts_go_first():
    """Two changes of long texts do not fit into one link, so the older one is dropped."""
    cut = Intervention("cut", WEIGHTS, rows=(1,), columns=(0,))
    own, *others = (
        change_for(cut, "everyday-paper", source, "")
        for source in (INPUTS.source, "the dog sleeps . " * 200, "the cat sees it . " * 200)
    )
    assert history._fitting((own, *others, A), INPUTS) == (own, others[1], A)
