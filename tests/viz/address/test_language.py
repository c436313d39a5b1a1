"""The language of a session: the chosen one, else the link's, else the browser's."""

from typing import NamedTuple

import pytest
import streamlit as st

from viz.address.language import LANGUAGE, session_language


class Context(NamedTuple):
    locale: str | None


@pytest.mark.parametrize(
    ("chosen", "asked", "locale", "said"),
    [
        (None, "fr", "en-GB", "fr"),
        (None, "en", "fr-FR", "en"),
        (None, "de", "fr-CA", "fr"),
        (None, None, "de", "en"),
        (None, None, None, "en"),
        ("en", "fr", "fr", "en"),
    ],
)
def test_what_is_chosen_comes_before_the_link_and_that_before_the_browser(
    chosen, asked, locale, said, monkeypatch
):
    monkeypatch.setattr(st, "query_params", {LANGUAGE: asked} if asked else {})
    monkeypatch.setattr(st, "session_state", {LANGUAGE: chosen} if chosen else {})
    monkeypatch.setattr(st, "context", Context(locale))
    assert session_language() == said
