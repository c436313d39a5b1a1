"""Links to removed pages: they say so once, and other links say nothing."""

import html

import pytest
from streamlit.testing.v1 import AppTest

from model.presets import PRESETS
from tests.pages import ok, texts
from texts import say_of, speaking

GONE = {
    "more_decoding_cache": ["true"],
    "positions_closer": ["alike", "products"],
    "positions_formula": ["none"],
    "positions_change": ["rescaled"],
    "shows": ["maximum"],
    "order": ["entropy"],
    "part_training": ["depth", "rate", "smoothing"],
    "embeddings_method": ["UMAP", "t-SNE"],
    "embeddings_dimensions": ["3"],
    "embeddings_colour": ["text"],
    "embeddings_section": ["layers"],
    "node": ["12"],
    "exam": ["5"],
    "combined": ["true"],
    "variants_demonstration": ["tied", "depth"],
    "variants": ["paper"],
    "more_touch_how": ["true"],
    "corpus_other": ["everyday-paper-1"],
    "more_variants_convert": ["true"],
    "fill": ["-1e9"],
    "more_masks_empty": ["true"],
    "more_masks_steps": ["true"],
    "positions_base": ["500"],
    "more_mattered_edges": ["true"],
    "pair_by": ["gold"],
    "pairs": ["s0-4"],
    "by_number": ["true"],
    "compare_view": ["over"],
    "compare_order": ["mean"],
    "more_corpus_same": ["true"],
    "more_embeddings_likeness": ["true"],
    "more_corpus_words": ["true"],
    "more_mattered_many": ["true"],
    "with": ["target"],
}
MODELS = {
    **{f"english-french-{name}": f"everyday-{name}" for name in PRESETS if name != "paper"},
    "english-french-learned": "everyday-learned",
    "english-french-paper-0": "everyday-paper-0",
    "english-french-paper-3": "everyday-paper-0",
    "everyday-paper-1": "everyday-paper-0",
}
STILL = {
    "part_training": ["live"],
    "with": ["model"],
}


def show():  # AppTest runs only the source of this function, so imports are inside
    import streamlit as st

    from texts import speaking
    from viz.address.retired_links import show_gone

    with speaking("en"):
        show_gone()
    st.query_params.clear()


def choose(names):
    import streamlit as st

    from texts import speaking
    from viz.address.address import bound
    from viz.address.retired_links import open_successor, show_gone

    open_successor(names)
    st.selectbox("model", names, key=bound("checkpoint", names[0], names))
    with speaking("en"):
        show_gone()


def opened(name: str, asked: str) -> AppTest:
    page = AppTest.from_function(show)
    page.query_params[name] = asked
    return ok(page.run())


@pytest.mark.parametrize(("name", "asked"), [(n, each) for n in GONE for each in GONE[n]])
def test_a_link_to_something_gone_says_so(name, asked):
    with speaking("en"):
        said = html.escape(say_of("gone", "link"))
    page = opened(name, asked)
    assert texts(page).count(said) == 1
    assert said in texts(page.run()), "the page has dropped the parameter, and still says so"


@pytest.mark.parametrize(("name", "asked"), [(n, each) for n in STILL for each in STILL[n]])
def test_what_is_still_there_is_shown_without_a_word(name, asked):
    assert texts(opened(name, asked)) == ""


@pytest.mark.parametrize(("old", "new"), MODELS.items())
def test_a_model_that_is_gone_is_that_of_its_variant(old, new):
    with speaking("en"):
        said = html.escape(say_of("gone", "checkpoint"))
    names = ["digits-paper", *sorted(set(MODELS.values()))]
    page = AppTest.from_function(choose, args=(names,))
    page.query_params["checkpoint"] = old
    assert ok(page.run()).session_state["checkpoint"] == new
    assert texts(page).count(said) == 1
    assert said in texts(page.run())
    assert (
        ok(page.selectbox[0].set_value("digits-paper").run()).session_state["checkpoint"]
        == "digits-paper"
    ), "one can choose another"


def test_a_model_of_ones_own_by_the_name_of_one_that_is_gone_is_opened():
    page = AppTest.from_function(choose, args=(["everyday-paper-0", "everyday-paper-1"],))
    page.query_params["checkpoint"] = "everyday-paper-1"
    assert ok(page.run()).session_state["checkpoint"] == "everyday-paper-1"
    assert texts(page) == ""
