"""Texts follow the typography of their language, and use one word for each term."""

import re
from collections.abc import Iterator

import pytest

from tests.texts.found import forms
from tests.texts.test_facts import all_said
from tests.texts.typeset import typeset, typeset_line
from texts import LANGUAGES, Language, speaking
from texts.saying import all_texts
from viz.pictures.glossary import TERMS, explained

NOT_PROSE = re.compile(r"`[^`]*`|https?://\S+|<[^<>]*>|\{[^{}]*\}|&\w+;")
"""Code, addresses, tags and values in a text, to which typography does not apply."""
WRONG = {
    "en": {
        "a straight apostrophe or quotation mark": r"['\"]",
        "a space before the percent sign": r"\s%",
    },
    "fr": {
        "a straight apostrophe or quotation mark": r"['\"]",
        "no U+202F before ; ! ?": r"(?<![\u202f(])[;!?](?!\w)",
        "no U+00A0 before :": r"(?<!\u00a0):(?=\s|$)",
        "no U+00A0 inside « »": r"«(?!\u00a0)|(?<!\u00a0)»",
        "no U+00A0 before %": r"(?<!\u00a0)%",
        "an embedding that is not a plongement": r"\b[Rr]eprésentations?\b",
        "the model that is not a transformeur": r"\b[Tt]ransformer\b",
    },
}
"""Patterns that a text must not contain, by language."""


def prose(spoken: Language) -> Iterator[tuple[str, str]]:
    """Yield the key and the prose of every text; a value counts as a letter."""
    for key, text in all_texts(spoken).items():
        if not key.startswith("language."):
            yield from ((key, NOT_PROSE.sub("x", form)) for form in forms(text))


@pytest.mark.parametrize(
    ("spoken", "fault"), [(spoken, fault) for spoken in WRONG for fault in WRONG[spoken]]
)
def test_every_text_is_set_as_its_language_is(spoken: Language, fault: str):
    pattern = re.compile(WRONG[spoken][fault])
    assert {key: text for key, text in prose(spoken) if pattern.search(text)} == {}


def test_a_text_that_is_typed_plainly_is_set():
    plain = "L'eau : « {word} », 75 % ; d'où ? <a href='?x'>l'eau</a>"
    made = "L’eau\u00a0: «\u00a0{word}\u00a0», 75\u00a0%\u202f; d’où\u202f? <a href='?x'>l’eau</a>"
    assert typeset(plain, "fr") == typeset(made, "fr") == made
    assert typeset("it's 75% of “{word}”: why?", "en") == "it’s 75% of “{word}”: why?"
    assert typeset_line('    "a": "d\'un",', "fr") == '    "a": "d’un",'
    assert typeset_line("  },", "fr") == "  },"


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_every_term_of_the_glossary_is_used(spoken: Language):
    """An unused term explains nothing, or the texts use another name for it."""
    terms = {key for keys in TERMS.values() for key in keys}
    pages = [text for key, text in prose(spoken) if not key.startswith("glossary.")]
    lessons = [text[spoken] for key, text in all_said().items() if key.startswith("lesson.")]
    with speaking(spoken):
        marked = " ".join(explained(text) for text in (*pages, *lessons))
    assert terms - set(re.findall(r'data-term="([^"]*)"', marked)) == set()
