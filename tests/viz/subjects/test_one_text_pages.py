"""The pages that show models of one text, opened with each such model without an error."""

import pytest

from tests.checkpoints import ONE_TEXT, ONE_TEXT_MODELS
from tests.pages import open_page, sent, texts
from texts import say

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
        assert say("touch.anew") in texts(page)  # the browser cannot run this model


@pytest.mark.parametrize("name", ONE_TEXT_MODELS)
def test_attention_asks_what_a_head_reads_and_sends_what_its_cells_are_made_of(name: str) -> None:
    page = open_page("attention", name, source=ONE_TEXT, layer="1", head="2", query="6", key="5")
    assert say("attention.question_of_head") in texts(page)
    assert len(sent(page, "cell_words")) == 1
    (head,) = sent(page, "head_tensors")
    meta = head["meta"]
    assert (meta["layer"], meta["head"]) == (1, 2)
    (path,) = meta["tensors"]["attentions"]
    assert f"{path}.output.weight[2]" in meta["tensors"]["arrays"]
