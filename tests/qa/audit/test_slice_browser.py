"""The most important page of one checkpoint, as it is and with a fault planted."""

from pathlib import Path

from playwright.sync_api import Browser

from qa.audit.browser import opened, serve
from qa.audit.ledger import Ledger
from qa.audit.page_reader import Seen
from qa.audit.pages.attention import check_view
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.planted_faults import copied, faults, seen_by_audit, spoiled
from qa.audit.truth import State, truth_of

STATE = State("english-french-paper-0", "the black cat sees the dog .")


def test_the_page_of_attention_is_true(browser: Browser, tmp_path: Path):
    ledger = Ledger("attention", str(STATE))
    with serve(tmp_path) as address, opened(browser) as page:
        seen, truth = Seen(page, address), truth_of(STATE)
        seen.open("attention", STATE.query(kind="cross-attention"))
        check_frame(seen, truth, ledger)
        check_run(seen, truth, ledger)
        check_view(seen, truth, ledger)
    assert list(map(str, ledger.faults)) == []
    assert ledger.values > 2_000


def test_a_label_that_is_drawn_beside_another_row_is_named(tmp_path: Path):
    fault = next(fault for fault in faults() if fault.name.startswith("labels of a map"))
    copy = copied(tmp_path / "copy")
    with spoiled(copy, fault):
        assert seen_by_audit(copy, fault) == "labels of the large map"
