import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.checkpoints import VARIANTS
from tests.pages import open_page, panels, texts

SENTENCE = "the cat sleeps ."
PAPER = VARIANTS["paper"]
"""The paper's checkpoint for a task that has every variant."""


def start(checkpoint=PAPER, source=SENTENCE, parts=(), **query) -> AppTest:
    """Open the page with some of its folds open."""
    opened = {f"more_variants_{part}": "true" for part in parts}
    return open_page("variants", checkpoint, source, **(opened | query))


def test_begins_with_what_each_variant_writes_under_names_that_people_have():
    shown = texts(start())
    assert "4 of 5 reimplementations of the paper write the same here." in shown
    assert re.search("causal mask[^“]{,90}: “", shown)
    assert shown.count("<dt>") == 6
    assert shown.count('<dd class="variants-right">') == 6
    assert shown.count(">le chat dort. <") == 5
    assert "<dt>Without a causal mask</dt>" in shown
    assert "headlist" not in shown
    assert not panels(start())


@pytest.mark.slow
def test_heads_stand_beside_each_other_over_one_target():
    best, ahead = (panels(start(parts=[part])) for part in ("heads", "ahead"))
    assert len(best) == 6
    assert len({tuple(panel["rowTokens"]) for panel in best}) == 1
    assert [panel["title"] for panel in ahead] == ["The paper", "Without a causal mask"]
    assert ahead[0]["note"] == ahead[1]["note"]


def test_the_one_without_a_causal_mask_copies_what_it_is_shown_and_alone_is_never_right():
    shown = texts(start(parts=["ahead"]))
    assert "of its attention on the next word" in shown
    assert "this model gets 0% of the test sentences right" in shown


@pytest.mark.slow
def test_every_choice_stands_in_a_table_with_the_papers():
    shown = texts(start(parts=["differences"]))
    assert re.search("norm_placement</td><td[^>]*>pre</td><td[^>]*>post", shown)
    assert re.search("causal_mask</td><td[^>]*>False</td><td[^>]*>True", shown)
    assert "exact_match" not in shown


def test_a_link_of_old_chooses_nothing():
    shown = texts(start(variants=["paper", "headlist"], variants_demonstration="depth"))
    assert shown.count("<dt>") == 6


def test_a_task_with_one_variant_shows_and_offers_the_one_with_all():
    page = start("digits-paper", "copy 1 2 3")
    assert "This model has no variants. Here are the variants of" in texts(page)
    assert texts(page).count("<dt>") == 6
    page.button(key="variants_other_task").click().run()
    assert page.session_state["checkpoint"] == PAPER
    assert page.session_state["source"].startswith("The animal didn't cross")


def test_what_was_typed_is_escaped():
    assert "<b>cat" not in texts(start(source="the <b>cat</b> sleeps ."))
