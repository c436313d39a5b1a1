"""A view as one file, with what nobody should write, opened from disk."""

from pathlib import Path

from playwright.sync_api import Browser

from model.checkpoint import Checkpoint
from tests.browsing import open_file
from tests.checkpoints import DEFAULT
from tests.viz.subjects.attention.test_offline import SAID, view_of
from texts import speaking
from viz.run.head_summary import metrics_by_head
from viz.run.parcel import pack_measures
from viz.run.selection import nearest
from viz.subjects.attention.offline import offline_page

HOSTILE = ("</script><script>window.owned=1</script>", "<img src=x onerror=window.owned=1>", "]]>")


def test_hostile_words_stay_text_everywhere(
    browser: Browser, checkpoint: Checkpoint, tmp_path: Path
):
    view = view_of(checkpoint, DEFAULT)
    meta = view.parcel.data["meta"]
    tokens = meta["tokens"]
    hostile = {side: (*HOSTILE, *names[len(HOSTILE) :]) for side, names in tokens.items()}
    data = {**view.parcel.data, "meta": {**meta, "tokens": hostile}}
    view = view._replace(parcel=view.parcel._replace(data=data, sides=HOSTILE[:2]))
    said = SAID | {"source": HOSTILE[0], "target": HOSTILE[1], "edits": list(HOSTILE)}
    file = tmp_path / "hostile.html"
    measures = pack_measures(metrics_by_head(view.run, None), "key")
    file.write_bytes(offline_page(view, nearest(view.run, {})[0], measures, said))
    with open_file(browser, file, "#query=1&key=0") as page:
        page.locator(".loupe-thumb").nth(2).click()
        page.locator("#head .loupe-over").first.hover()
        assert page.evaluate("window.owned") is None
        assert page.locator("script").count() == 2
        assert page.locator("img").count() == 0
        assert "window.owned" in page.locator("#sentences").inner_text()
        assert "<img" in page.locator("footer").inner_text()
        assert "<img" in page.locator("#cell_words").inner_text()


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
