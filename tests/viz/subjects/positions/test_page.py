import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from model.transformer import Transformer
from tests.checkpoints import DEFAULT
from tests.pages import ok, open_page, sent, sent_values, texts
from viz.subjects.positions.sections.reruns import written

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.fixture
def learned(own_checkpoints) -> None:
    """Add a checkpoint with learned positions to the others."""
    checkpoint = load_checkpoint(own_checkpoints / "everyday-paper")
    config = replace(checkpoint.info.config, positions="learned", max_length=40)
    torch.manual_seed(0)
    model = Transformer(config).eval()
    info = replace(checkpoint.info, name="everyday-learned", config=config)
    save_checkpoint(own_checkpoints / info.name, model, info, half=False)


def start(checkpoint="everyday-paper", **query) -> AppTest:
    asked = {f"positions_{name}": value for name, value in query.items()}
    return open_page("positions", checkpoint, more_positions_encoding="true", **asked)


def begin(checkpoint="everyday-paper", **query) -> AppTest:
    """Open the page in its initial state."""
    return open_page("positions", checkpoint, **query)


def latex(page: AppTest) -> str:
    return " ".join(element.value for element in page.latex)


def size_of_the_map(page: AppTest) -> str:
    heading = "The numbers added at each position"
    return next(e.proto.body for e in page.get("html") if heading in e.proto.body)


def opening_map(page: AppTest) -> tuple[dict, np.ndarray]:
    """Return the data of the page's first picture: its words and its numbers."""
    [data], [values] = sent(page, "position_map"), sent_values(page, "position_map")
    meta = data["meta"]
    return meta, values.reshape(meta["rows"], meta["columns"])


def test_begins_with_the_encoding_and_the_sentence_without_it_below():
    page = begin()
    assert "How does the model know the order of words?" in texts(page)
    kinds = [
        "written" if "<dt>without positions</dt>" in getattr(each.proto, "body", "") else each.type
        for each in page.main
        if hasattr(each, "proto")
    ]
    assert kinds.index("bidi_component") < kinds.index("written") < kinds.index("button_group")
    assert not sent(page, "waves")
    assert not latex(page)


def by_the_paper(length: int, width: int) -> np.ndarray:
    """Compute the paper's formula one number at a time."""
    found = np.zeros((length, width))
    for position in range(length):
        for i in range(width // 2):
            angle = position / 10000 ** (2 * i / width)
            found[position, 2 * i : 2 * i + 2] = math.sin(angle), math.cos(angle)
    return found


@pytest.mark.parametrize(("query", "length"), [({}, 64), ({"positions_length": "20"}, 20)])
def test_the_map_has_the_numbers_of_the_paper_and_the_words_of_the_sentence(query, length):
    meta, values = opening_map(begin(**query))
    # float32 rounds numbers up to 1 by at most half of 2**-24
    np.testing.assert_allclose(values, by_the_paper(length, 48), rtol=0, atol=2**-24)
    assert meta["words"] == [*DEFAULT.split(), "</s>"]
    assert meta["picked"] is None
    assert not meta["chooses"]


def test_a_text_that_is_longer_than_the_usual_map_has_all_its_rows():
    words = ["the", "cat", "sleeps", "."] * 20
    meta, values = opening_map(begin(source=" ".join(words)))
    assert len(values) == 81
    assert meta["words"] == [*words, "</s>"]


def test_the_worked_number_is_framed_while_it_is_worked_out():
    meta, _ = opening_map(start(pos="3", dim="5"))
    assert meta["picked"] == {"position": 3, "dimension": 5}
    assert meta["chooses"]


def test_the_waves_are_some_dimensions_of_the_encoding_and_the_chosen_one():
    page = start(pos="3", dim="5")
    [data], [values] = sent(page, "waves"), sent_values(page, "waves")
    meta = data["meta"]
    assert meta["dimensions"] == [0, 1, 5, 6, 12, 24, 47]
    assert (meta["kind"], meta["size"], meta["rows"]) == ("sinusoidal", 48, 64)
    own = by_the_paper(64, 48)[:, meta["dimensions"]]
    np.testing.assert_allclose(values.reshape(own.shape), own, rtol=0, atol=2**-24)


def test_a_click_works_the_number_out_if_there_is_one():
    page = start(pos="3", dim="5")
    for position, dimension, shown in ((9, 2, (9, 2)), (10**9, -1, (0, 0))):
        page.session_state["positions_pos"] = position
        page.session_state["positions_dim"] = dimension
        meta, _ = opening_map(ok(page.run()))
        assert (meta["picked"]["position"], meta["picked"]["dimension"]) == shown


@pytest.mark.parametrize(
    ("query", "drawn"),
    [
        ({"positions_closer": "shift"}, "one rotation takes every pos"),
        ({"positions_pos": "3"}, "equals source_embedding.positions[3,"),
    ],
)
def test_a_link_to_something_in_a_part_opens_that_part(query, drawn):
    page = begin(**query)
    assert drawn in texts(page)
    assert drawn not in texts(begin())


def test_starts_with_the_encoding_of_the_run():
    page = start()
    assert "64 × 48" in size_of_the_map(page)
    assert "The waves grow from 6.283 positions" in texts(page)
    assert "equals source_embedding.positions[7, 6] of this run" in texts(page)
    assert "loupe-fail" not in texts(page)
    assert r"\frac{7}{10000^{6/48}}" in latex(page)


def test_the_link_says_it_all():
    page = start(
        length="30",
        pos="21",
        dim="3",
        closer="Shift by k",
        shift="7",
        change="Reversed",
        where="Source only",
    )
    assert "30 × 48" in size_of_the_map(page)
    assert r"\frac{21}{10000^{2/48}}" in latex(page)
    assert page.slider(key="positions_shift").value == 7
    assert "<dt>with positions reversed</dt>" in texts(page)


@pytest.mark.parametrize(
    "query",
    [
        {"length": "-4"},
        {"pos": "5000", "dim": "-1", "closer": "Up"},
    ],
)
def test_any_link_shows_something(query):
    assert sent(start(**query), "position_map")


def test_smaller_sizes_keep_the_picked_number_within():
    page = start(pos="15", dim="47")
    ok(page.number_input(key="positions_length").set_value(3).run())
    assert "3 × 48" in size_of_the_map(page)


def typed(source):  # AppTest runs only this source: no annotations, imports inside
    import streamlit as st

    from viz.models import running
    from viz.run.inputs import Inputs
    from viz.subjects.positions.page import render

    text = st.text_input("Source", source, key="source")
    render(running.open_view(Inputs("everyday-paper", text, "", "cpu")))


def send_text_alone(page: AppTest, source: str) -> AppTest:
    """Change the text as a client does that sends no values of the page's own fields."""
    tree = page._tree
    collected = tree.get_widget_states

    def without_the_pages_own():
        states = collected()
        kept = [state for state in states.widgets if "positions_" not in state.id]
        del states.widgets[:]
        states.widgets.extend(kept)
        return states

    tree.get_widget_states = without_the_pages_own
    return page.text_input(key="source").set_value(source).run()


@pytest.mark.parametrize(("field", "value"), [("pos", 80), ("shift", 79)])
def test_a_shorter_text_moves_a_slider_back_to_its_last_position(field, value):
    page = AppTest.from_function(typed, args=("the cat sleeps . " * 20,), default_timeout=60)
    page.query_params["more_positions_encoding"] = "true"
    page.query_params["positions_closer"] = "Shift by k"
    key = f"positions_{field}"
    ok(ok(page.run()).slider(key=key).set_value(value).run())
    page = send_text_alone(page, "the cat sleeps .")
    page = ok(send_text_alone(page, "the cat sleeps ."))
    assert page.slider(key=key).value == page.slider(key=key).max < value
    assert not page.warning


@pytest.mark.usefixtures("tiny_checkpoints", "learned")
def test_a_run_with_learned_positions_shows_its_own():
    page = start("everyday-learned")
    assert "48 weights for each of 40 positions" in texts(page)
    assert "equals source_embedding.positions[" in texts(page)
    ok(page.segmented_control(key="positions_side").set_value("target").run())
    assert "equals target_embedding.positions[" in texts(page)
    assert "loupe-fail" not in texts(page)


def test_compares_the_run_with_one_without_positions():
    page = begin(more_positions_head="true", more_positions_order="true")
    assert "<dt>with its positions</dt>" in texts(page)
    assert "without positions the rows only move" in texts(page)
    panels = [c for c in page.get("bidi_component") if c.proto.component_name == "loupe_panels"]
    assert len(panels) == 1


def test_what_a_model_wrote_is_escaped():
    shown = written([("as it is", "<script> il", ["il"]), ("changed", "", ())])
    assert "<mark>il</mark>" in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "(no words)" in shown
