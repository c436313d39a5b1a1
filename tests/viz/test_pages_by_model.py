"""The guide's table of pages by kind of model agrees with the pages' own requirements."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from model.anatomy import Anatomy
from model.checkpoints.checkpoint import load_checkpoint
from model.probing import anatomy_of
from tests.browsing import ROOT
from tests.checkpoints import SHIPPED
from viz.pages import PLACES, title

GUIDE = (ROOT / "docs" / "own-models.md").read_text("utf-8")
KINDS = {"translation": "digits-paper", "decoder": "induction-one-head", "encoder": "agreement"}
"""A checkpoint of each kind."""
DECODERS_TOO = "Two heads"
"""The page that a recorded decoder has and recorded models of other kinds lack."""


@pytest.fixture(scope="module")
def anatomies() -> Mapping[str, Anatomy]:
    own = {kind: anatomy_of(load_checkpoint(SHIPPED / name).model) for kind, name in KINDS.items()}
    return own | {"recorded": replace(own["translation"], is_recorded=True)}


def test_the_table_lists_the_pages_that_each_kind_has(anatomies: Mapping[str, Anatomy]) -> None:
    rows = re.findall(r"^\| ([\w ]+) \|" + 4 * r" (yes|–) \|" + "$", GUIDE, re.MULTILINE)
    pages = [page for pages in PLACES.values() for page in pages]
    has = {
        title(page): tuple(
            "–" if (needs := getattr(page, "NEEDS", None)) and needs(each) else "yes"
            for each in anatomies.values()
        )
        for page in pages
    }
    assert {name: tuple(cells) for name, *cells in rows} == has


def test_a_recorded_decoder_differs_in_one_page(anatomies: Mapping[str, Anatomy]) -> None:
    both = [anatomies["recorded"], replace(anatomies["decoder"], is_recorded=True)]
    differs = [
        title(page)
        for pages in PLACES.values()
        for page in pages
        if (needs := getattr(page, "NEEDS", None)) and bool(needs(both[0])) != bool(needs(both[1]))
    ]
    assert differs == [DECODERS_TOO]
    assert f"*{DECODERS_TOO}* also takes recorded decoders" in GUIDE
