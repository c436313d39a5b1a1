"""Every page that describes a head shows the same sentence about it, in a browser."""

from urllib.parse import urlencode

from playwright.sync_api import Browser

from tests.browsing import open_page, turn_to, wait_until
from viz.corpus.atlas import Atlas
from viz.corpus.places import atlas_folders
from viz.corpus.roles import find_roles

NAME = "everyday-paper-0"
CELL = {
    "checkpoint": NAME,
    "source": "the animal did not cross the street because it was too tired .",
    "kind": "encoder self-attention",
    "layer": 1,
    "head": 3,
    "query": 8,
    "key": 1,
}


HAS = """said => {
  const roots = [document];
  for (const root of roots)
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
  const texts = roots.map((root) => (root.body ?? root).textContent);
  return texts.join(" ").replace(/\\s+/g, " ").includes(said);
}"""


def test_the_head_of_the_first_story_has_one_story(browser: Browser, shipped_address: str) -> None:
    jobs = find_roles(Atlas(atlas_folders()[NAME])).said("encoder self-attention", 1, 3)
    said = jobs.partition("sentences: ")[2].partition(";")[0]  # only Corpus omits the current row
    assert "in all 59 cases" in said
    with open_page(browser, f"{shipped_address}/attention?{urlencode(CELL)}") as page:
        wait_until(page, HAS, arg=said)
        for url in ("compare", "corpus"):
            turn_to(page, url)
            page.wait_for_function("url => loupe.page === url", arg=url)
            wait_until(page, HAS, arg=said)
