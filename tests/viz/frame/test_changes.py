"""The list of changes in the bar and in the address: kept through new texts, undo and a reload."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import ok, open_app, sent

CAT, DOG = "the cat sleeps .", "the dog sleeps ."
HIDDEN = "cut!decoder.layers.*.cross_attn.weights;r1;c0"
OFF = "zero!encoder.layers.0.self_attn.heads;h1"
pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


def bar(app: AppTest) -> list[tuple[str, bool, bool]]:
    shown = sent(app, "changes")
    return [(c["text"], c["on"], c["applies"]) for c in shown[0]["changes"]] if shown else []


def in_link(app: AppTest) -> str:
    found = app.query_params.get("edits", "")
    return found if isinstance(found, str) else found[0]


def reloaded(app: AppTest) -> AppTest:
    return open_app(
        **dict(app.query_params.items()) | {"source": app.text_input(key="source").value}
    )


@pytest.mark.slow
def test_a_change_of_positions_stays_with_its_text():
    app = open_app(source=CAT, edits=f"{HIDDEN}~-{OFF}")
    first = bar(app)
    assert [(on, applies) for _, on, applies in first] == [(True, True), (False, True)]
    assert in_link(app) == f"{HIDDEN}~-{OFF}"

    ok(app.text_input(key="source").set_value(DOG).run())
    assert bar(app) == [(first[0][0], True, False), first[1]]
    assert in_link(app) == f"{HIDDEN};s{CAT}~-{OFF}"
    again = reloaded(app)
    assert (bar(again), in_link(again)) == (bar(app), in_link(app))

    for one in (app, again):
        ok(one.text_input(key="source").set_value(CAT).run())
        assert bar(one) == first
        assert in_link(one) == f"{HIDDEN}~-{OFF}"


def test_what_cannot_be_read_stays_in_the_link_until_it_is_forgotten():
    app = open_app(source=CAT, edits="burn!everything")
    ok(app.text_input(key="source").set_value(DOG).run())
    assert in_link(app) == "burn!everything"
    assert any("No kind of change is called" in e.proto.body for e in app.get("html"))
    ok(app.button(key="forget_changes").click().run())
    assert in_link(app) == ""
    assert not any("No kind of change is called" in e.proto.body for e in app.get("html"))


@pytest.mark.slow
def test_changes_that_no_link_holds_go_those_of_other_texts_first():
    long = "the cat sees the dog . " * 60
    made = [f"cut!decoder.layers.*.cross_attn.weights;r{row};c0" for row in range(6)]
    app = open_app(source=long, edits="~".join([OFF, *made]))
    assert len(bar(app)) == 7
    ok(app.text_input(key="source").set_value(CAT).run())
    assert 1 < len(bar(app)) < 7
    assert bar(app)[0][2]
    assert len(in_link(app)) <= 6_000
    again = reloaded(app)
    assert (bar(again), in_link(again)) == (bar(app), in_link(app))


HUGE = "scale!encoder.layers.0.self_attn.heads;h1;a"


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        (f"{HUGE}-1e38", "An amount must be between"),
        ("~".join([f"{HUGE}1e9"] * 3), "infinity or NaN"),
    ],
)
def test_a_run_that_is_no_number_is_refused_in_words(edits: str, why: str):
    app = open_app(source=CAT, edits=edits)
    said = " ".join(element.proto.body for element in app.get("html"))
    assert "A change could not be applied" in said
    assert why in said
