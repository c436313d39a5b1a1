import pytest
from streamlit.testing.v1 import AppTest

from tests.checkpoints import VARIANTS
from tests.pages import ok, open_page, sent, texts
from viz.run import session
from viz.run.view import Inputs

SENTENCE = "the cat sleeps ."


PARTS = ("outputs", "differences", "heads")


def start(checkpoint=VARIANTS["paper"], source=SENTENCE, parts=PARTS, **query) -> AppTest:
    """Open the page with some of its parts."""
    opened = {f"more_variants_{part}": "true" for part in parts}
    return open_page("variants", checkpoint, source, **(opened | query))


@pytest.mark.slow
def test_begins_with_the_paper_beside_the_most_telling():
    page = start()
    assert page.multiselect(key="variants").value == ["paper", "headlist"]
    shown = texts(page)
    assert "le chat dort." in shown
    assert "(no words)" in shown
    assert "0.991" in shown
    assert "sine and cosine of one frequency" in shown


def test_begins_with_the_variant_in_view():
    page = start(VARIANTS["prenorm"], parts=("differences",))
    assert page.multiselect(key="variants").value == ["paper", "prenorm"]
    assert "before the sublayer: x + sublayer(norm(x))" in texts(page)


def test_a_link_chooses_the_variants_and_the_demonstration():
    page = start(
        parts=(), variants=["addnorm", "tied"], variants_demonstration="Pre- and post-norm"
    )
    assert page.multiselect(key="variants").value == ["addnorm", "tied"]
    assert "Gradients of a new decoder of 12 layers" in texts(page)
    assert len(page.get("plotly_chart")) == 1


def test_one_variant_is_not_enough():
    page = ok(start(parts=()).multiselect(key="variants").set_value(["paper"]).run())
    assert "Choose at least two variants" in texts(page)


def test_each_variant_has_its_map_with_its_attention_and_the_blocks_lit_that_differ():
    page = start(parts=("differences",), variants=["paper", "headlist", "prenorm"])
    inputs = Inputs(VARIANTS["paper"], SENTENCE, "", "cpu")
    runs = {data["meta"]["run"]: data["meta"]["kinds"] for data in sent(page, "run")}
    in_view = session.open_view(inputs).parcel  # which is sent with every page
    runs[in_view.key] = in_view.data["meta"]["kinds"]
    maps = [data["meta"] for data in sent(page, "map")]
    assert len(maps) == len({each["run"] for each in maps}) == 3
    assert maps[0]["lit"] == []
    assert {"output", "source_embedding", "source_embedding.positions"} <= set(maps[2]["lit"])
    assert not any("norm" in block for block in maps[2]["lit"])
    for each in maps:
        blocks = [block for block in each["blocks"] if block.get("kind")]
        assert len(blocks) == 6
        for block in blocks:
            stack = runs[each["run"]][block["kind"]]
            assert block["layer"] < stack["layers"]
            assert stack["drawn"] == [stack["rows"], stack["columns"]]


def test_a_loss_of_a_decoder_that_reads_ahead_is_told_apart():
    page = start(parts=("outputs",))
    assert "In headlist no causal mask hides the rest of that target" in texts(page)
    page = ok(page.multiselect(key="variants").set_value(["paper", "addnorm"]).run())
    assert "no causal mask hides" not in texts(page)


def test_begins_with_what_the_variants_write_and_with_one_difference():
    page = open_page("variants", VARIANTS["paper"], SENTENCE)
    assert "4 of them write here what the paper" in texts(page)
    assert "(headlist) writes nothing at all" in texts(page)
    assert "the one without a " in texts(page)
    assert texts(page).count('class="variants-verdict"') == 1
    assert "it lives on the tokens ahead" in texts(page)
    assert not sent(page, "map")
    assert not sent(page, "panels")


@pytest.mark.parametrize(
    ("query", "component"),
    [({"variants_maps": "false"}, ""), ({"variants_head": "The best head of each"}, "panels")],
)
def test_a_link_to_something_in_a_part_opens_that_part(query, component):
    page = open_page("variants", VARIANTS["paper"], SENTENCE, **query)
    if component:
        assert sent(page, component)
    else:
        assert "not as in the paper" in texts(page)


@pytest.mark.slow
def test_a_task_with_one_variant_shows_the_differences_on_another():
    page = open_page("variants", "digits-paper", "copy 1 2 3")
    assert "Measured on English to French, with its own example" in texts(page)
    assert texts(page).count('class="variants-verdict"') == 1


def test_a_task_with_one_variant_offers_the_one_with_all():
    page = start("digits-paper", "copy 1 2 3")
    assert "was trained in one variant alone: the paper" in texts(page)
    assert "above was measured on English to French" in texts(page)
    assert "nothing to compare" not in texts(page)
    button = page.button(key="variants_other_task")
    assert button.label == "Go to English to French, which has 6 variants"
    button.click().run()
    assert page.session_state["checkpoint"] == VARIANTS["paper"]
    assert page.session_state["source"].startswith("the animal did not cross")


@pytest.mark.slow
def test_what_was_typed_is_escaped():
    shown = texts(start(source="the <b>cat</b> sleeps .", parts=("outputs",)))
    assert "<b>cat" not in shown
