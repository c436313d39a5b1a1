"""Texts for keys: their values, their forms, and numbers written as in each language."""

import json
from pathlib import Path

import pytest

import texts.saying
from texts import asking, language, say, say_of, speaking
from texts.saying import all_texts

EXAMPLES = json.loads((Path(__file__).parent / "examples.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("spoken", "text", "values", "said"), EXAMPLES)
def test_values_are_put_in_as_the_language_writes_them(spoken, text, values, said, monkeypatch):
    known = {**all_texts(spoken), "area.name": text}
    monkeypatch.setattr(texts.saying, "_texts", lambda _: known)
    with speaking(spoken):
        assert say("area.name", **values) == said


def test_what_is_not_there_is_not_said_silently():
    with pytest.raises(KeyError):
        say("page.nowhere")
    with pytest.raises(KeyError):
        say("number.under", part="1%")


def test_a_key_and_one_of_a_family_are_the_same():
    assert say_of("page", "map") == say("page.map") == "Map"
    with speaking("fr"):
        assert say("page.map") == "Plan"


def test_who_reads_is_asked_unless_a_language_is_spoken(monkeypatch):
    monkeypatch.setattr("texts.spoken._askers", [])
    assert language() == "en"
    asking(lambda: None)
    asking(lambda: "fr")
    assert language() == "fr"
    with speaking("en"):
        assert language() == "en"
