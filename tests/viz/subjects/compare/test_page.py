import json

import pytest
from streamlit.testing.v1 import AppTest

from model.checkpoints.checkpoint import load_checkpoint
from model.text.normalised import MAX_CHARACTERS
from tests.checkpoints import DEFAULT, FIRST
from tests.pages import ok, open_page, sent, texts
from texts import say
from viz.address.selection import default_selection
from viz.run.axes import KINDS
from viz.run.making import make_run

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")

CAT = "the cat sleeps ."


def compared(page) -> dict:
    return sent(page, "compared")[0]


def test_begins_with_a_sentence_that_differs_in_a_word():
    page = open_page("compare", source=FIRST)
    assert page.text_input(key="compare_other_source").value == FIRST.replace("tired", "wide")
    assert "What differs between A and B?" in texts(page)
    assert "<del>tired" in texts(page)
    assert "<ins>wide" in texts(page)
    assert set(compared(page)["kinds"]) == set(KINDS)


def test_it_begins_with_the_head_that_attention_begins_with(tiny_checkpoints):
    page = open_page("compare", source=FIRST, other_source=CAT)
    selection = sent(page, "selection")[0]["selection"]
    run = make_run(load_checkpoint(tiny_checkpoints / "everyday-paper"), FIRST)
    wanted = default_selection(run).to_dict()
    assert {name: selection[name] for name in wanted} == wanted
    data = compared(page)
    assert data["heads"][0] == max(data["heads"], key=lambda head: head["moved"])


def test_what_a_link_asks_for_is_not_replaced():
    page = open_page("compare", kind="cross-attention", layer="1", head="2", query="3", key="1")
    selection = sent(page, "selection")[0]["selection"]
    assert [selection[name] for name in ("layer", "head", "query", "key")] == [1, 2, 3, 1]


def test_another_sentence_stands_in_the_link():
    page = open_page("compare")
    page.text_input(key="compare_other_source").set_value(CAT).run()
    ok(page)
    assert page.query_params["other_source"] == CAT
    assert "le chat dort." in texts(page)


def test_another_model_is_compared_head_by_head():
    page = open_page("compare", **{"with": "model"})
    assert compared(page)["matched"]
    assert "The most similar" in texts(page)
    assert "Each training assigns the jobs of the heads at random" in texts(page)


def test_a_model_of_another_task_is_compared_as_far_as_that_goes():
    page = open_page("compare", **{"with": "model", "other_model": "digits-paper"})
    assert not sent(page, "compared")
    assert "Only input and output can be compared" in texts(page)


def test_a_pinned_run_comes_with_the_link():
    pinned = json.dumps(["everyday-paper", CAT, "", ""])
    page = open_page("compare", **{"with": "pinned", "pinned": pinned})
    assert "le chat dort." in texts(page)
    page.button(key="compare_unpin").click().run()
    assert "Pin this run, then" in texts(ok(page))


def test_the_run_in_view_can_be_pinned():
    page = open_page("compare", **{"with": "pinned"})
    assert "Pin this run, then" in texts(page)
    page.button(key="compare_pin").click().run()
    assert "This is the pinned run" in texts(ok(page))
    assert json.loads(page.query_params["pinned"])[1] == DEFAULT


@pytest.mark.parametrize(
    "query",
    [
        {"with": "nothing"},
        {"with": "model", "other_model": "../../etc/passwd"},
        {"with": "pinned", "pinned": "[" * 5000},
        {"with": "pinned", "pinned": '["nowhere", "a", "", ""]'},
        {"with": "pinned", "pinned": '["everyday-paper", 1, "", ""]'},
        {"with": "target"},
        {"other_source": "<script>alert(1)</script>"},
        {"other_source": "a" * (5 * MAX_CHARACTERS)},
    ],
)
def test_no_link_breaks_the_page(query: dict[str, str]):
    page = open_page("compare", **query)
    assert "What differs between A and B?" in texts(page)
    assert "<script>" not in texts(page)


def test_a_sentence_that_is_too_long_is_told():
    page = open_page("compare", other_source="the cat " * 400)
    assert "The other run is not possible" in texts(page)
    assert "at most 512 tokens" in texts(page)


def test_what_stands_behind_headings_is_drawn():
    parts = ("stages", "steps")
    page = open_page("compare", **{f"more_compare_{part}": "true" for part in parts})
    assert "The first numbers to differ are those of source_embedding.output" in texts(page)
    assert say("compare.step_moved") in texts(page)


def test_a_changed_run_is_compared_with_itself_unchanged():
    page = AppTest.from_function(show_changed, default_timeout=60).run()
    assert "with the changes" in texts(ok(page))
    bits = compared(page)["kinds"]["encoder self-attention"]["moved"]
    assert all(value == 0 for head in bits[0] for value in head)
    assert "Itself, unchanged" in [o.content for o in page.button_group[0].proto.options]


def show_changed():
    from model.interventions.kinds import Intervention
    from tests.checkpoints import DEFAULT
    from viz.models import running
    from viz.run.inputs import Inputs
    from viz.subjects.compare.page import render

    off = Intervention("zero", "encoder.layers.0.self_attn.heads", head=1)
    render(running.open_view(Inputs("everyday-paper", DEFAULT, "", "cpu", (off,))))


def test_unknown_words_of_the_other_sentence_are_told():
    page = open_page("compare", other_source="the zebra sleeps .")
    assert "The model has never seen “zebra”" in texts(page)
