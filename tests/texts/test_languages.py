"""The language files are complete, have the same keys, are used, and follow typography."""

import json
import re
import shutil
from string import Formatter

import pytest

from tests.texts.found import ROOT, forms, said_by_browser, said_by_python
from texts import LANGUAGES, language_name, say, saying, speaking
from texts.saying import FOLDER, Text, all_texts

ENGLISH, FRENCH = all_texts("en"), all_texts("fr")
MARKS = ("language.",)
"""Areas whose keys are used by the code that formats values."""
BREAKS_BEFORE = re.compile(
    r"(?<![\u00a0\u202f(])[»;!?](?!\w)|«(?!\u00a0)|(?<=\w) ?:(?= )|(?<=\w) %"
)
"""French signs before which a line could break."""


def fields(text: Text) -> set[str]:
    return {name for form in forms(text) for _, name, _, _ in Formatter().parse(form) if name}


def test_the_languages_have_the_same_keys():
    assert LANGUAGES == ("en", "fr")
    areas = [json.loads((FOLDER / f"{spoken}.json").read_text("utf-8")) for spoken in LANGUAGES]
    english, french = ({area: [*of] for area, of in each.items()} for each in areas)
    assert english == french


def test_a_third_language_is_a_file_and_says_the_rest_in_english(tmp_path, monkeypatch):
    shutil.copy(FOLDER / "en.json", tmp_path)
    german = {
        "language": {"name": "Deutsch", "decimal": ",", "thousands": ".", "percent": "\u00a0%"},
        "page": {"map": "Karte"},
        "number": {"under": "unter {share:,.1%}"},
    }
    (tmp_path / "de.json").write_text(json.dumps(german), "utf-8")
    monkeypatch.setattr("texts.saying.FOLDER", tmp_path)
    made = (saying._texts, saying._marks, saying._formatter)
    for each in made:
        each.cache_clear()
    with speaking("de"):
        assert language_name("de") == "Deutsch"
        assert [say("page.map"), say("page.masks")] == ["Karte", "Masks"]
        assert say("number.under", share=12.3456) == "unter 1.234,6\u00a0%"
        assert say("number.percent", share=0.5) == "50\u00a0%"
    for each in made:
        each.cache_clear()


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_no_key_stands_twice(spoken):
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names = [name for name, _ in pairs]
        assert sorted(set(names)) == sorted(names)
        return dict(pairs)

    text = (ROOT / "texts" / f"{spoken}.json").read_text(encoding="utf-8")
    json.loads(text, object_pairs_hook=once)


def test_a_text_has_the_same_values_and_forms_in_each_language():
    wrong = [
        key
        for key, text in ENGLISH.items()
        if fields(text) != fields(FRENCH[key])
        or type(text) is not type(FRENCH[key])
        or (isinstance(text, dict) and {"one", "other"} != text.keys() | FRENCH[key].keys())
    ]
    assert wrong == []


def test_every_key_is_said_and_every_key_that_is_said_is_there():
    python, browser = said_by_python(), said_by_browser()
    keys, families = python.keys | browser.keys, python.families | browser.families
    assert python.unnamed + browser.unnamed == []
    assert keys - ENGLISH.keys() == set()
    assert [f for f in families if not any(key.startswith(f"{f}.") for key in ENGLISH)] == []
    in_families = (*MARKS, *(f"{family}." for family in families))
    assert [k for k in ENGLISH if k not in keys and not k.startswith(in_families)] == []


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_no_text_is_empty_or_ends_in_spaces(spoken):
    texts = all_texts(spoken)
    wrong = [
        key for key, text in texts.items() for form in forms(text) if form != form.strip(" \n")
    ]
    assert wrong + [key for key, text in texts.items() if not all(forms(text))] == []


def test_the_notes_of_the_ready_lecture_are_set_as_french_is():
    (path,) = (ROOT / "sample_data" / "decks" / "fr").glob("*.json")
    slides = json.loads(path.read_text(encoding="utf-8"))["slides"]
    said = [slide.get(part) or "" for slide in slides for part in ("title", "notes", "question")]
    assert [text for text in said if BREAKS_BEFORE.search(text)] == []
