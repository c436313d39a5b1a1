"""The most important page of one checkpoint, as it is and with two faults planted."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from audit.browser import opened, serve
from audit.ledger import Ledger
from audit.pages.attention import check_view
from audit.pages.frame import check_frame
from audit.pages.sent import check_run
from audit.planted import FAULTS, Planted, environment_of, look
from audit.seen import Seen
from audit.truth import State, truth_of

STATE = State("english-french-paper-0", "the black cat sees the dog .")


def planted(name: str) -> Planted:
    return next(fault for fault in FAULTS if fault.name == name)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory):
    with serve(tmp_path_factory.mktemp("audited")) as address:
        yield address


def test_the_page_of_attention_is_true(browser: Browser, address: str):
    ledger = Ledger("attention", str(STATE))
    with opened(browser) as page:
        seen, truth = Seen(page, address), truth_of(STATE)
        seen.open("attention", STATE.query(kind="cross-attention"))
        check_frame(seen, truth, ledger)
        check_run(seen, truth, ledger)
        check_view(seen, truth, ledger)
    assert list(map(str, ledger.faults)) == []
    assert ledger.values > 2_000


def test_a_label_that_is_drawn_beside_another_row_is_named(browser: Browser, address: str):
    fault = planted("drawn labels")
    found = [f for f in look(browser, address, fault).faults if f.what in fault.caught_by]
    assert found
    assert "English" not in found[0].seen
    assert found[0].computed == "row 1 is black"


def test_swapped_axes_are_named(browser: Browser, tmp_path: Path):
    fault = planted("axes")
    with serve(tmp_path, environment=environment_of(fault, tmp_path)) as address:
        found = [f for f in look(browser, address, fault).faults if f.what in fault.caught_by]
    assert found[0].where.endswith("encoder self-attention: layer, head, row, column (0, 0, 0, 1)")
