"""A view as one file, opened from disk: malformed links, and another language."""

from pathlib import Path

from playwright.sync_api import Browser

from model.checkpoints.checkpoint import Checkpoint
from tests.browsing import open_file
from tests.checkpoints import DEFAULT
from tests.viz.subjects.attention.test_offline import SAID, view_of
from texts import speaking
from viz.address.selection import nearest
from viz.heads.head_summary import metrics_by_head
from viz.heads.measures import pack_measures
from viz.subjects.attention.offline import offline_page


def test_a_link_may_say_anything(browser: Browser, checkpoint: Checkpoint, tmp_path: Path):
    view = view_of(checkpoint, DEFAULT)
    measures = pack_measures(metrics_by_head(view.run, None), "key")
    selection = nearest(view.run, {})[0]
    file = tmp_path / "view.html"
    file.write_bytes(offline_page(view, selection, measures, SAID))
    for place in ("#kind=nothing", "#layer=999999&head=-1&query=1e9", "#" + "x" * 5000, "#%%%"):
        with open_file(browser, file, place) as page:
            assert "reads" in page.locator(".reading-answer").inner_text()


def test_a_page_says_all_in_the_language_in_which_it_was_written(
    browser: Browser, checkpoint: Checkpoint, tmp_path: Path
):
    view = view_of(checkpoint, DEFAULT)
    measures = pack_measures(metrics_by_head(view.run, None), "key")
    file = tmp_path / "vue.html"
    with speaking("fr"):
        file.write_bytes(offline_page(view, nearest(view.run, {})[0], measures, SAID))
    with open_file(browser, file) as page:
        assert page.locator("html").get_attribute("lang") == "fr"
        assert " lit surtout " in page.locator(".reading-answer").inner_text()
        assert "Les cartes sont dessinées" in page.locator("footer").inner_text()
        page.get_by_role("button", name="Enregistrer toutes les têtes").click()
        assert page.get_by_role("menuitem", name="Image vectorielle (SVG)").is_visible()
