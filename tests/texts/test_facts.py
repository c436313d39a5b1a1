"""Each number that the texts state of a model is measured, or listed with a reason.

The numbers 0, 1 and 2 are exempt: they are ends of scales, or pairs.
"""

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sample_data.swaps import COUNT
from tests.texts import measured, measured_parts
from tests.texts.found import ROOT
from texts import LANGUAGES, Language
from texts.saying import all_texts
from viz.corpus.intervals import Z
from viz.heads.even_rows import STANDS_OUT
from viz.heads.head_roles import LEAST_ABOVE_CHANCE, LEAST_RATE
from viz.lessons.measures import SHARP
from viz.run.codes import CODE_ONE
from viz.subjects.attention.scaling import SATURATED
from viz.subjects.mattered.circuit import LEAST_STEP
from viz.subjects.mattered.packing import LEAST_DRAWN


class Fact(NamedTuple):
    """A claim of a text in both languages, and its measure: an entry of facts.toml."""

    key: str
    en: str
    fr: str
    measure: list[Any]
    between: list[float]

    @property
    def holds(self) -> bool:
        name, *given = self.measure
        least, most = (*self.between, math.inf)[:2]
        module = measured if hasattr(measured, name) else measured_parts
        return least <= getattr(module, name)(*given) <= most


_LISTED = tomllib.loads((Path(__file__).parent / "facts.toml").read_text(encoding="utf-8"))
FACTS = [Fact(**each) for each in _LISTED["facts"]]
RULES: Mapping[str, tuple[float, ...]] = {
    "attention.rounded": (1 / CODE_ONE,),
    "attention.saturated": (100 * SATURATED,),
    "corpus.costs_note": (round(100 * math.erf(Z / math.sqrt(2))),),
    "corpus.all_heads_note": (LEAST_RATE, 100 * LEAST_ABOVE_CHANCE, STANDS_OUT),
    "glossary.text.nat": (round(100 / math.e), round(100 / math.e**2)),
    "glossary.text.softmax": (round(math.e, 1),),
    "lesson.sharp_rows": (100 * SHARP,),
    "mattered.no_step": (LEAST_STEP,),
    "mattered.nothing_there": (LEAST_DRAWN,),
    "mattered.what.swapped": (COUNT,),
    "positions.turn_note": (round(math.degrees(1), 1),),
}
"""Numbers in texts that are also constants in the code."""
OTHERS: Mapping[str, str] = {
    "*negation_after_verb": "ne … pas",
    "attention.stage_*": "stages, counted",
    "corpus_band.*": "quarters of a range",
    "deck.2.notes": "the three places of attention",
    "decoding.penalty_help": "Wu et al. 2016",
    "glossary.text.*": "halves of a model and of a layer",
    "learn.path": "minutes",
    "lesson.how-sure.*.prompt": "what is asked: ten samples, at a temperature",
    "lesson.learned.*.prompt": "three moments are asked for",
    "lesson.not-ne-pas.0.why": "ne … pas",
    "lesson.sharpness.*": "lists and scores to compute by hand; the changed scores of the step",
    "lesson.the-other-half.title": "halves of a layer",
    "lesson.word-order.4.prompt": "the places that are asked about",
    "lesson.square-root.*": "the root of d_k; 99% is what measures.SHARP says",
    "start.ten_minutes": "minutes",
    "training.*": "times of a machine, steps of a command",
}
"""Numbers that state nothing of a model, and what they are."""

_WORDS: Mapping[Language, Mapping[str, float]] = {
    "en": {
        **{word: n for n, word in enumerate(("three", "four", "five", "six", "seven"), 3)},
        **{word: n for n, word in enumerate(("eight", "nine", "ten", "eleven", "twelve"), 8)},
        **{"half": 0.5, "quarter": 0.25, "quarters": 0.25, "tenth": 0.1, "twentieth": 0.05},
        **{"hundred": 100, "thousand": 1000, "million": 1e6},
    },
    "fr": {
        **{word: n for n, word in enumerate(("trois", "quatre", "cinq", "six", "sept"), 3)},
        **{word: n for n, word in enumerate(("huit", "neuf", "dix", "onze", "douze"), 8)},
        **{"moitié": 0.5, "demi": 0.5, "demie": 0.5, "quart": 0.25, "quarts": 0.25},
        **{"dixième": 0.1, "vingtième": 0.05, "cent": 100, "mille": 1000, "million": 1e6},
    },
}
_FOREIGN = re.compile(
    r"\{[^{}]*\}|`[^`]*`|<[^<>]*>|&\w+;|https?://\S+|\d-D\b|\b\d+e−\d+|[\d.,]*π"
    r"|\b(section|paragraphe) \d\.\d(\.\d)?|float64|sha256|ISO 8601|\b(19|20)\d\d\b"
    r"|^\w+ minutes\.|--[\w-]+ \d+"
)
"""Parts that are ignored: values, code, names, sources, and how long a slide takes."""
_DIGITS = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:[,\u202f\u00a0]\d{3})+|\d*[.,]?\d+)(?!\w)")


def numbers(text: str, language: Language) -> set[float]:
    """Find the numbers that a text states, in digits or in words."""
    bare = _FOREIGN.sub(" ", text)
    found = {_value(match[0], language) for match in _DIGITS.finditer(bare)}
    words = re.findall(r"\w+", bare.lower())
    found |= {_WORDS[language][word] for word in words if word in _WORDS[language]}
    return {round(number, 6) for number in found} - {0.0, 1.0, 2.0}


def _value(digits: str, language: Language) -> float:
    thousands = "," if language == "en" else "\u202f\u00a0"
    return float(re.sub(f"[{thousands}]", "", digits).replace(",", "."))


def _forms(text: Any) -> list[str]:
    return [text] if isinstance(text, str) else [*text.values()]


def _of_lesson(name: str, value: Any) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the texts of a lesson's file; the name of a step contains only its number."""
    if isinstance(value, dict) and value.keys() == set(LANGUAGES):
        yield name, value
    elif isinstance(value, dict):
        for part, inner in value.items():
            yield from _of_lesson(name if part == "step" else f"{name}.{part}", inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _of_lesson(f"{name}.{number}", inner)


@cache
def all_said() -> Mapping[str, Mapping[Language, str]]:
    """Collect the texts of the interface, the lessons and the notes of the ready lecture."""
    errors = ("lesson_fault.", "deck.", "web.", "corpus_error.")
    said = {
        key: {spoken: " / ".join(_forms(all_texts(spoken)[key])) for spoken in LANGUAGES}
        for key, text in all_texts("en").items()
        if not key.startswith(errors)
    }
    said = {key: of for key, of in said.items() if max(len(t.split()) for t in of.values()) > 3}
    for path in sorted((ROOT / "sample_data" / "lessons").glob("*.toml")):
        said |= _of_lesson(f"lesson.{path.stem}", tomllib.loads(path.read_text(encoding="utf-8")))
    slides = {
        spoken: json.loads(path.read_text(encoding="utf-8"))["slides"]
        for spoken in LANGUAGES
        for path in (ROOT / "sample_data" / "decks" / spoken).glob("*.json")
    }
    for number, both in enumerate(zip(*slides.values(), strict=True)):
        notes = [re.sub(r"\s+", " ", slide["notes"]) for slide in both]
        said[f"deck.{number}.notes"] = dict(zip(slides, notes, strict=True))
    return said


@cache
def _stated() -> dict[str, set[float]]:
    """Return the numbers of each text that states any, from both languages together."""
    found = {
        key: set[float]().union(*(numbers(text, spoken) for spoken, text in of.items()))
        for key, of in all_said().items()
    }
    return {key: stated for key, stated in found.items() if stated}


def _plain(text: str) -> str:
    return text.translate({ord("\u00a0"): " ", ord("\u202f"): " ", ord("’"): "'"})


def _answered(key: str) -> set[float]:
    """Return the numbers of a text that are measured or that are constants in the code."""
    found = {round(number, 6) for number in _rule(key)}
    for fact in FACTS:
        if fact.key == key:
            found |= numbers(fact.en, "en") | numbers(fact.fr, "fr")
    return found


def _rule(key: str) -> tuple[float, ...]:
    exact = RULES.get(key)
    return exact or next((RULES[p] for p in RULES if fnmatchcase(key, p)), ())


def test_every_number_in_a_text_is_measured_or_known():
    unknown = {
        key: left
        for key, stated in _stated().items()
        if (left := stated - _answered(key)) and not any(fnmatchcase(key, p) for p in OTHERS)
    }
    assert unknown == {}


def test_no_entry_is_of_a_text_that_states_nothing():
    stated = _stated()
    idle = [p for p in (*RULES, *OTHERS) if not any(fnmatchcase(key, p) for key in stated)]
    assert idle == []


def test_both_languages_state_the_same_numbers():
    def of(key: str, spoken: Language) -> set[float]:
        return numbers(all_said()[key][spoken], spoken)

    assert {k: (of(k, "en"), of(k, "fr")) for k in _stated() if of(k, "en") != of(k, "fr")} == {}


def test_numbers_of_rules_are_those_of_the_code():
    wrong = {
        key: (stated, _rule(key))
        for key, stated in _stated().items()
        if _rule(key) and stated != {round(number, 6) for number in _rule(key)}
    }
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact.key}: {fact.en}")
def test_what_a_text_states_is_measured(fact: Fact):
    said = all_said()[fact.key]
    assert _plain(fact.en) in _plain(said["en"])
    assert _plain(fact.fr) in _plain(said["fr"])
    assert fact.holds
