"""The audit of one checkpoint's main page: in the app, on the site, and with a planted fault."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from qa.audit import planted_faults
from qa.audit.browser import opened, serve_files
from qa.audit.page_reader import SITE
from qa.audit.pages.attention import check_view
from qa.audit.pages.site import check_around
from qa.audit.planted_faults import copied, faults, seen_by_audit
from qa.audit.truth import State, truth_of
from qa.audit.visit import Visit
from viz.site.__main__ import main

STATE = State("everyday-paper-0", "the black cat sees the dog .")


def test_the_page_of_attention_of_the_site_is_true(browser: Browser, tmp_path: Path):
    assert main([str(tmp_path), "--model", STATE.checkpoint]) == 0
    with serve_files(tmp_path) as address, opened(browser) as page:
        truth = truth_of(STATE)
        visit = Visit(page, address, "site-attention", STATE, truth, frame=SITE)
        visit.open("attention", STATE.query(kind="cross-attention"))
        check_around(visit)
        check_view(visit)
    assert visit.ledger.faults == []
    assert visit.ledger.values > 100_000


def test_all_is_true_but_a_label_that_is_drawn_beside_another_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The app's main page, in a copy of the project with one wrong line."""
    fault = next(fault for fault in faults() if fault.name.startswith("labels of a map"))
    copy, run, heard = copied(tmp_path / "copy"), planted_faults._run, []

    def listen(*given) -> tuple[int, str]:
        status, said = run(*given)
        heard.append(said)
        return status, said

    monkeypatch.setattr(planted_faults, "_run", listen)
    with fault.planted(copy):
        assert seen_by_audit(copy, fault) == "labels of the large map"
    [said] = heard
    assert {*re.findall(r"^WRONG ([\w-]+: .+?) \[", said, re.MULTILINE)} == {
        "attention: labels of the large map"
    }
    values = re.search(r"^([\d,]+) values, ", said, re.MULTILINE)
    assert values
    assert int(values[1].replace(",", "")) > 2_000
