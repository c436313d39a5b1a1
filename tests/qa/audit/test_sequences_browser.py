"""After a few random steps in one session, each page shows the same as its own link."""

import random

from playwright.sync_api import Browser

from qa.audit.browser import opened
from qa.audit.sequences import Walk, made_here, walked

COUNT = 2
"""Enough sequences for each part of the walk; `python -m qa.audit.sequences` walks 200."""


def test_a_link_shows_what_its_page_shows(browser: Browser, shipped_address: str, capsys):
    with opened(browser) as live, opened(browser) as fresh:
        walk = Walk(live, fresh, shipped_address, random.Random(11))
        apart, runs, ledger = walked(walk, COUNT)
    assert apart == 0, capsys.readouterr().out
    assert runs
    assert ledger.values > 1_000


def test_the_reference_makes_the_changes_of_a_link_or_none():
    head = "zero!decoder.layers.*.cross_attn.heads;h1"
    assert made_here(f"{head}~-scale!logits;a2~cut!x.weights;r0;c1;sa") == head
    assert made_here("scale!logits;a2") is None
    assert made_here("") == ""
