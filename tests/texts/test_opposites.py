"""English and French agree on opposites: above and below, rows and columns, first and last.

If a text in both languages names the poles of one pair of opposites, it has to name the same poles
in the same order. Every text also has the same numbers in both languages.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import pytest

from tests.texts.found import ROOT, forms
from texts.saying import all_texts

SAMPLES = ROOT / "sample_data"


class Opposites(NamedTuple):
    """Patterns of whole words for the two poles, in each language."""

    english: tuple[str, str]
    french: tuple[str, str]


OPPOSITES = {
    "below, above": Opposites(
        ("below|under|less than", "above|over|more than|at least"),
        (
            "au-dessous|en dessous|sous|inférieure?s?|moins de",
            "au-dessus|supérieure?s?|plus de|au moins",
        ),
    ),
    "rows, columns": Opposites(("rows?", "columns?"), ("lignes?|rangées?", "colonnes?")),
    "encoder, decoder": Opposites(("encoders?", "decoders?"), ("encodeurs?", "décodeurs?")),
    "first, last": Opposites(
        ("first", "last|latest"), ("premi(?:er|ère)s?|1re|1er", "derni(?:er|ère)s?")
    ),
    "before, after": Opposites(
        (
            "before|previous|earlier|preceding|already",
            "after|next|later|following|follow(?:s|ed)?|beyond",
        ),
        (
            r"avant|préc[éè]d\w+|antérieure?s?|déjà|plus haut",
            r"après|suiv\w+|postérieure?s?|ensuite|prochain\w*|plus loin",
        ),
    ),
    "more, less": Opposites(("more", "less|fewer"), ("plus|davantage", "(?<!au )moins")),
    "most, least": Opposites(
        ("largest|highest|longest|most|best", "smallest|lowest|shortest|(?<!at )least|worst"),
        (r"plus|meilleure?s?|maxim\w+", r"plus petite?s?|(?<=l[ea] )moins|minim\w+"),
    ),
    "likely, unlikely": Opposites(
        ("likely|likeliest|probable", "unlikely|improbable"), ("probables?", "improbables?")
    ),
    "source, target": Opposites(("sources?", "targets?"), ("sources?", "cibles?")),
    "query, key": Opposites(("quer(?:y|ies)", "keys?"), ("requêtes?", "clés?")),
    "left, right": Opposites(("(?:on|to) the left", "(?:on|to) the right"), ("gauche", "droite")),
    "with, without": Opposites(("with", "without"), ("avec", "sans")),
    "right, wrong": Opposites(
        ("right|correct", "wrong"),
        ("justes?|bonn?e?s?|correcte?s?|sans faute", "fau(?:x|sse)s?|mauvaise?s?|se trompe"),
    ),
    "same, different": Opposites(("same|equal", "different"), ("mêmes?|égale?s?", "différente?s?")),
    "on, off": Opposites(("turn(?:ed)? on|are on|is on", "off"), (r"activ\w+", r"désactiv\w+")),
    "up, down": Opposites(
        ("raises?|rises?|increases?", "lowers|falls?(?! apart)|decreases?"),
        (r"mont\w+|augment\w+", r"baiss\w+|descend\w+|diminu\w+"),
    ),
    "undo, redo": Opposites(("undo", "redo"), (r"annul\w+", r"rétabl\w+")),
    "English, French": Opposites(("English", "French"), ("anglaise?s?", "française?s?")),
}


SAID_OTHERWISE = {
    "compare.other_tokens": "same, different",  # French: "pas en mêmes" for "different"
    "decoding.dials_fold": "more, less",  # "plus froid" for "cooler"
    "glossary.text.loss": "more, less",  # "plus grande" for "larger"
    "induction.after_cut": "before, after",  # French: "suivait", without "avant"
    "induction.hardly": "before, after",  # French: "suivait", without "avant"
    "language.name": "English, French",
    "sharpness.step.3.answer.chips.less": "more, less",  # "plus tranchées" for "sharper"
    "sharpness.step.4.answer.chips.less": "more, less",
    "square-root.step.2.answer.chips.less": "more, less",
    "touch.earlier": "before, after",  # "si son trait suivait": if its line were pulled
    "variants.gets_right": "with, without",  # French says "sans faute" for "gets right"
}
"""Texts that mean the same in both languages, in words that these patterns miss."""
IN_ANOTHER_ORDER = {"change.says.cut", "induction.after_cut", "lesson_fault.place"}
IN_ANOTHER_ORDER |= {"touch.others_give"}
"""Texts whose values rightly come in another order in French."""
NOT_NUMBERS = re.compile(r"`[^`]*`|<[^<>]*>|\{[^{}]*\}")
"""Code, tags and values in a text."""
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
OTHER_NUMBERS = {"language.singular", "map.hundredths", "map.least", "positions.one_wave"}
"""Signs of a language, numbers without a leading zero, and a zero that is spelled out."""


class Both(NamedTuple):
    """One text in both languages."""

    key: str
    english: str
    french: str


def of_pages() -> Iterator[Both]:
    english, french = all_texts("en"), all_texts("fr")
    for key, text in english.items():
        for one, other in zip(forms(text), forms(french[key]), strict=True):
            yield Both(key, one, other)


def of_lessons() -> Iterator[Both]:
    for path in sorted((SAMPLES / "lessons").glob("*.toml")):
        yield from in_both(tomllib.loads(path.read_text("utf-8")), path.stem)


def in_both(value: Any, name: str) -> Iterator[Both]:
    match value:
        case {"en": str(english), "fr": str(french)}:
            yield Both(name, english, french)
        case dict():
            for key, inner in value.items():
                yield from in_both(inner, f"{name}.{key}")
        case list():
            for place, inner in enumerate(value):
                yield from in_both(inner, f"{name}.{place}")


def of_lectures() -> Iterator[Both]:
    for path in sorted((SAMPLES / "decks" / "en").glob("*.json")):
        english, french = (
            json.loads((SAMPLES / "decks" / spoken / path.name).read_text("utf-8"))["slides"]
            for spoken in ("en", "fr")
        )
        for place, (one, other) in enumerate(zip(english, french, strict=True), 1):
            for part in ("title", "question"):
                yield Both(
                    f"{path.stem}.{place}.{part}", one.get(part) or "", other.get(part) or ""
                )


TEXTS = [*of_pages(), *of_lessons(), *of_lectures()]


def poles(text: str, patterns: tuple[str, str]) -> list[int]:
    """List the poles that a text names, in order, without immediate repetitions."""
    plain = NOT_NUMBERS.sub("·", text)
    found = [
        (match.start(), pole)
        for pole, pattern in enumerate(patterns)
        for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", plain, re.IGNORECASE)
    ]
    return [pole for pole, _ in groupby(pole for _, pole in sorted(found))]


@pytest.mark.parametrize("name", OPPOSITES)
def test_both_languages_name_the_same_poles_in_the_same_order(name: str):
    wrong = []
    compared = 0
    for text in TEXTS:
        english = poles(text.english, OPPOSITES[name].english)
        french = poles(text.french, OPPOSITES[name].french)
        if english and french and SAID_OTHERWISE.get(text.key) != name:
            compared += 1
            wrong += [text] if english != french else []
    assert wrong == []
    assert compared


def test_what_is_said_otherwise_still_is():
    """An entry that is no longer needed would hide the next fault of its text."""
    for key, name in SAID_OTHERWISE.items():
        both = [text for text in TEXTS if text.key == key]
        english, french = OPPOSITES[name]
        differ = [poles(one.english, english) != poles(one.french, french) for one in both]
        assert any(differ), f"{key} needs no entry"


def test_both_languages_have_the_same_numbers():
    wrong = [
        text
        for text in TEXTS
        if text.key not in OTHER_NUMBERS
        and numbers(text.english, thousands=",")
        != numbers(text.french.replace(",", "."), thousands="\u202f\u00a0")
    ]
    assert wrong == []


def numbers(text: str, *, thousands: str) -> list[str]:
    plain = re.sub(rf"(?<=\d)[{thousands}](?=\d{{3}}(?!\d))", "", NOT_NUMBERS.sub("·", text))
    return sorted(NUMBER.findall(plain))


def test_values_stand_in_the_same_order_but_where_french_turns_them():
    """A sentence whose two values are exchanged reads well but is false."""
    turned = set()
    for text in TEXTS:
        english, french = (re.findall(r"\{(\w+)", one) for one in (text.english, text.french))
        if english != french and sorted(english) == sorted(french):
            turned.add(text.key)
    assert turned == IN_ANOTHER_ORDER
