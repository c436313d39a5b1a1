"""The pages that show a model of one text, with each of them: nothing fails, all numbers agree."""

import base64

import numpy as np
import pytest

from tests.checkpoints import ONE_TEXT, ONE_TEXT_MODELS
from tests.pages import open_page, sent, texts
from texts import say
from viz.subjects.attention.cell.recompute import TOLERANCE

pytestmark = pytest.mark.usefixtures("one_text_app")
FOLDS = {
    "attention": ("numbers", "stages", "heads", "bertviz"),
    "map": ("map_tensor", "map_dials", "map_sublayers"),
    "masks": ("masks_batch"),
    "compare": ("compare_stages", "compare_steps"),
    "touch": (),
}


@pytest.mark.parametrize("url", FOLDS)
@pytest.mark.parametrize("name", ONE_TEXT_MODELS)
def test_draws_all_that_can_be_unfolded(name: str, url: str) -> None:
    opened = {f"more_{fold}": "true" for fold in FOLDS[url]}
    page = open_page(url, name, source=ONE_TEXT, **opened)
    assert "cannot" not in texts(page) or url in ("compare", "touch")
    assert '<li class="loupe-fail">' not in texts(page)
    if url == "touch":
        assert sent(page, "touch")[0]["model"] == ""  # the browser runs none of it


@pytest.mark.parametrize("name", ONE_TEXT_MODELS)
def test_attention_asks_what_a_head_reads_and_every_step_of_its_cell_agrees(name: str) -> None:
    page = open_page("attention", name, source=ONE_TEXT, layer="1", head="2", query="6", key="5")
    assert say("attention.question_of_head") in texts(page)
    (cell,) = sent(page, "cell_words")
    differences = np.frombuffer(base64.b64decode(cell["lines"]), "<f4")
    assert len(differences) == 13
    assert differences.max() <= TOLERANCE
    assert ("shared" in cell, "turned" in cell) == ((name == "tiny-gpt",) * 2)
    assert ("bias" in cell["score"]) == (name == "tiny-alibi")
    assert cell.get("reads", False) == (name != "tiny-bert")
