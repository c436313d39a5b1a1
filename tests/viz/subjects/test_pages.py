import csv
import io
import json
import re
from dataclasses import replace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.checkpoints import BY_HEART, DEFAULT
from tests.pages import ok, open_page, panels, sent, texts
from viz.pages import SUBJECTS
from viz.run.axes import KINDS
from viz.subjects.map import page as map_page
from viz.subjects.masks.batch import MAX_SENTENCES

NAMES = [name for name in SUBJECTS if name != "induction"]  # it shows models of one text


pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_draws_a_run(name: str, kind: str):
    page = open_page(name, kind=kind, layer="0", head="3")
    assert sent(page, "selection")[0]["selection"]["kind"] == kind


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_draws_a_variant_without_masks_and_a_given_target(name: str):
    open_page(name, "everyday-headlist", target=BY_HEART[DEFAULT])


def test_the_map_shows_the_tensor_that_a_link_names():
    name = "decoder.layers.1.cross_attn.query"
    page = open_page("map", tensor=name)
    assert name in texts(page)
    assert "4 × 16 × 12" in texts(page)
    assert [panel["title"] for panel in panels(page)] == [f"head {head}" for head in range(4)]
    ok(page.selectbox(key="tensor_choice").set_value("logits").run())
    assert "for each of 24 tokens" in texts(page)
    assert page.query_params["tensor"] == "logits"


def test_the_map_writes_a_tensor_as_a_table_without_formulas(monkeypatch):
    files, view = {}, map_page.tensor_view
    monkeypatch.setattr(
        st, "download_button", lambda label, data, **_: files.setdefault(label, data)
    )

    def hostile(run, name):
        found = view(run, name)
        return replace(found, row_tokens=["=1"] * len(found.row_tokens))

    monkeypatch.setattr(map_page, "tensor_view", hostile)
    open_page("map", tensor="decoder.layers.1.cross_attn.query")
    header, *rows, said = csv.reader(
        io.StringIO(files["This tensor (CSV)"]().removeprefix("\ufeff"))
    )
    assert header == ["matrix", "row", *map(str, range(12))]
    assert json.loads(said[0].removeprefix("# Loupe "))["checkpoint"] == "everyday-paper"
    assert [row[:2] for row in rows] == [[f"head {h}", "'=1"] for h in range(4) for _ in range(16)]
    assert all(abs(float(value)) < 100 for row in rows for value in row[2:])


def test_the_map_opens_the_nearest_where_nothing_has_that_name():
    page = open_page("map", tensor="encoder.layer.0.output")
    assert "No tensor is called encoder" in page.warning[0].value
    assert "encoder.layers.0.output" in texts(page)


def test_masks_begin_with_those_of_the_variant():
    page = open_page("masks")
    assert "Switch a mask off and see what leaks" in texts(page)
    assert all(toggle.value for toggle in page.toggle)
    page = open_page("masks", "everyday-headlist", target=BY_HEART[DEFAULT])
    assert not any(toggle.value for toggle in page.toggle)
    assert "This model hides no later words" in texts(page)


def step_played(page: AppTest) -> int:
    (player,) = sent(page, "decoding_player")
    return player["at"]


PRONOUN = BY_HEART[DEFAULT].split().index("il")
"""The most telling step, because the model hesitates nowhere."""


def test_decoding_begins_at_the_step_that_tells_unless_one_was_asked_for():
    assert step_played(open_page("decoding")) == PRONOUN
    assert step_played(open_page("decoding", step="3")) == 3
    assert step_played(open_page("decoding", kind="cross-attention", query="2")) == 2


def test_a_beam_begins_where_it_differs_from_greedy_decoding(monkeypatch):
    kept = "viz.subjects.decoding.sections.player.first_difference"
    monkeypatch.setattr(kept, lambda *_: 2)
    assert step_played(open_page("decoding", decoding="Beam")) == 2
    assert step_played(open_page("decoding", decoding="Beam", at="1")) == 1
    monkeypatch.setattr(kept, lambda *_: None)
    assert step_played(open_page("decoding", decoding="Beam")) == PRONOUN


def weights_now(page: AppTest) -> dict:
    (now, *_) = (panel for panel in panels(page) if panel["title"] == "Weights of this head")
    return now


def test_masks_open_on_a_leak_on_a_word_and_show_the_change_beside_it():
    page = open_page("masks")
    assert re.search(r"Without this .*mask.*, “\w{4,}” would look at “\w{4,}”", texts(page))
    assert [panel["title"] for panel in panels(page)] == [
        "Weights of this head",
        "Change without this mask",
    ]
    assert panels(page)[0]["marks"] == []


def test_a_mask_that_is_off_is_seen_in_the_pictures_and_in_words():
    page = open_page("masks", kind="decoder self-attention", sentence="1")
    ok(page.toggle(key="causal").set_value(False).run())
    now = weights_now(page)
    assert now["marks"]
    assert all(key > query for query, key in now["marks"])
    assert "is off. “" in texts(page)
    assert re.search(r"The model would change \d+ of \d+ words", texts(page))
    ok(page.button(key="own_masks").click().run())
    assert page.toggle(key="causal").value


def test_a_mask_switched_off_puts_the_head_that_leaks_most_in_view():
    page = open_page("masks", kind="cross-attention", layer="1", head="0")
    ok(page.toggle(key="causal").set_value(False).run())
    assert page.query_params["kind"] == "decoder self-attention"
    said = re.search(r"Decoder self-attention, layer (\d), head (\d)", texts(page))
    assert said.groups() == tuple(page.query_params[name] for name in ("layer", "head"))
    assert page.segmented_control(key="sentence").value == 1
    assert weights_now(page)["marks"]


def test_masks_open_on_the_sentence_that_was_typed_and_say_why_they_are_there():
    page = open_page("masks")
    assert page.segmented_control(key="sentence").value == 1
    assert "it would have nothing to copy" in texts(page)
    assert weights_now(page)["rowTokens"][0] == BY_HEART[DEFAULT].split()[0]
    page = open_page("masks", sentence="3")
    assert page.segmented_control(key="sentence").value == 3
    assert weights_now(page)["rowTokens"][0] != BY_HEART[DEFAULT].split()[0]
    ok(page.toggle(key="causal").set_value(False).run())
    assert weights_now(page)["marks"]
    page = open_page("masks", "everyday-headlist", target=BY_HEART[DEFAULT])
    assert "it would have nothing to copy" not in texts(page)


def test_a_mask_that_lets_nothing_through_leaves_the_head_in_view():
    page = open_page("masks", kind="decoder self-attention", layer="1", head="0")
    ok(page.toggle(key="target_padding").set_value(False).run())
    assert "Nothing leaks, because padding comes last" in texts(page)
    assert page.query_params["kind"] == "decoder self-attention"


@pytest.mark.parametrize(
    ("batch", "said"),
    [("the cat sleeps .", "2"), ("\n".join(["cat"] * 9), str(MAX_SENTENCES)), ("", "2")],
)
def test_a_batch_that_cannot_be_run_is_said(batch: str, said: str):
    page = open_page("masks", batch=batch)
    assert "This batch cannot be run" in texts(page)
    assert said in texts(page)
    assert panels(page) == []
