"""The JavaScript twin of the tokenizers reads any typed text as Python does."""

import dataclasses
import json
import random
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import pytest

from model.checkpoints.checkpoint_files import read_info
from model.text.encoding import Encoding
from model.text.normalised import MAX_CHARACTERS, TextTooLongError, join_words, normalise
from model.text.tokenizer import Tokenizers
from model.text.vocabulary import TokenizerKind
from qa.fuzz.hostile import FORMULAS, MARKUP, ODD, SPECIALS
from tests.checkpoints import CARRIED, SHIPPED, STAND_INS
from tests.node import told_by

SCRIPT = Path(__file__).with_name("read.js")
COUNT = 2500
QUICK = 600
"""How many texts the quick test reads; the slow one reads the rest, with the longest."""
EVERYDAY = ("everyday-paper-0", "everyday-addnorm")
"""Checkpoints whose two sides share one set of ids, and have separate ones."""
MADE = ("bpe-bpe", "bpe-character", "words", "merges")
PARTLY = [
    "l' animal n' a pas dormi .",
    "Élan aujourd'hui - va -t' en",
    "un 🙂 et un e\u0301te\u0301 .",
] * 3
WHOLE = [
    *CARRIED,
    *CARRIED.values(),
    "a donne -t-il -moi .",
    "the parents 's house is twenty one .",
]
OUT_OF_ORDER = {
    "kind": "bpe",
    "lower_case": True,
    "vocabulary": {token: 4 + i for i, token in enumerate(["▁", *"abc", "ab", "abc", "abcab"])},
    "merges": [["abc", "ab"], ["ab", "c"], ["a", "b"]],
    "whole_words": [],
}
"""The first merge joins pieces that only the later merges make."""
SHORT_FORMS = (
    *("doesn't", "can't", "cannot", "won't", "shan't", "it's", "he's", "I'm", "we've", "they'll"),
    *("I'd", "that's", "let's", "who's", "girl's", "parents'", "'tis", "'cats'", "twenty-one"),
    *("donne-moi", "a-t-il", "l'animal", "qu'est-ce", "jusqu'où", "l'l'l'a", "l'", "aujourd'hui"),
    *("ın't", "én't", "İ'm", "ſhe's", "\u212aan't", "-5", "-²", "--5", "e-mail", "s'", "what?!"),
)
COPIED = (
    *(
        "laptop",
        "laptops",
        "boss",
        "Zoltan",
        "Müller",
        "NASA",
        "iPhone",
        "12",
        "-5",
        "21st",
        "5:30",
    ),
    *("10:15:20", "1:2:3:4", "٣", "½", "<x1>", "<n2>", "a<b", "ǅungla", "ΣΑΣ", "x" * 40),
    *("y" * 41, "\U00010400" * 30, "Xǅs", "cafe\u0316\u0301", "x\u00ad\u0331y", "abcabcab"),
)
APOSTROPHES = "'\u2018\u2019\u02bc\uff07`´"
PARTS = (
    *(".", "!", "?", ",", "'", "-", "a-", "'s", "a'", "l'", "\u0301", "\u20dd", "<", "[", "\\"),
    *(" ", "()", "\u200d", "\u00ad", "\u1161", "\u1100", "🙂", "\ud800", "İ", "a", "can't ", "x-y"),
)
"""Parts that are repeated many times."""
COMPATIBLE = {"fi": "ﬁ", "fl": "ﬂ", "ff": "ﬀ", "st": "ﬆ", "a": "ａ", "T": "Ｔ", "1": "１"}
"""Letters and the characters that sometimes replace them."""
CHANGED = "ʕჼꟲꟳꟴꭩ"
"""Characters that only some versions of Unicode count as lower case."""
OLD = [chr(i) for i in range(0x110000) if unicodedata.ucd_3_2_0.category(chr(i)) != "Cn"]
"""Characters that every version of Unicode has."""


class Case(NamedTuple):
    name: str
    source: str
    target: str


class KindsOf(TypedDict):
    source_kind: TokenizerKind
    target_kind: TokenizerKind


class Told(NamedTuple):
    cases: Sequence[tuple[Case, str]]
    """Each case with its answer as JSON, decoded one at a time to save memory."""
    all_tokens: dict[str, list[list[str]]]


def drawn(draw: random.Random, words: Sequence[str]) -> str:
    """Draw a text: mostly words, mixed with unknown words and things that are not words."""

    def piece() -> str:
        kind = draw.random()
        if kind < 0.55:
            return draw.choice(words)
        if kind < 0.65:
            return draw.choice((str.title, str.upper))(draw.choice(words))
        if kind < 0.75:
            return draw.choice(SHORT_FORMS)
        if kind < 0.87:
            return draw.choice(COPIED)
        if kind < 0.93:
            return "".join(draw.choices(OLD, k=draw.randint(1, 5)))
        return draw.choice((*ODD, *SPECIALS, *MARKUP, *FORMULAS))

    text = ""
    for _ in range(draw.choice((0, 1, 2, 3, 5, 8, 12, 20))):
        text += piece() + draw.choice((" ",) * 12 + ("", "", "-", "'", ".", "! ", ", ", "\u00a0"))
    if draw.random() < 0.3:
        text = text.replace("'", draw.choice(APOSTROPHES))
    if draw.random() < 0.1:
        plain, other = draw.choice([*COMPATIBLE.items()])
        text = text.replace(plain, other)
    if draw.random() < 0.2:
        text = draw.choice((text.upper(), text.swapcase(), text + text.title()))
    return unicodedata.normalize("NFD", text) if draw.random() < 0.1 else text


def long_texts() -> Iterator[tuple[str, str]]:
    """Yield texts that repeat one part many times, with the tokenizers that read them."""
    for name in (EVERYDAY[0], "bpe-bpe"):
        for part in PARTS:
            yield name, f"a{part * 300}s' s"
        yield name, "🙂" * (MAX_CHARACTERS + 1)
    for part in PARTS:
        yield EVERYDAY[1], (part * MAX_CHARACTERS)[:MAX_CHARACTERS]


def cases(tokenizers: Mapping[str, Tokenizers]) -> Iterator[Case]:
    draw = random.Random(0)
    known = {
        name: [*of.source.vocabulary, *of.target.vocabulary] for name, of in tokenizers.items()
    }
    long = dict(enumerate(long_texts(), start=QUICK - 2 * len(PARTS) - 2))
    for i in range(COUNT):
        name = draw.choice((*EVERYDAY * 6, *MADE * 2, *tokenizers))
        name, source = long.get(i) or (name, drawn(draw, known[name]))
        again = f"{source} {drawn(draw, known[name])}" if draw.random() < 0.7 else source
        target = again if len(again) < 300 else drawn(draw, known[name])
        yield Case(name, *json.loads(json.dumps([source, target])))  # joins surrogate pairs


def kinds(source: TokenizerKind, target: TokenizerKind) -> KindsOf:
    return {"source_kind": source, "target_kind": target}


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, Tokenizers]:
    shipped = {
        path.stem: read_info(path.with_suffix("")) for path in sorted(SHIPPED.glob("*.json"))
    }
    made = {name: info.tokenizers for name, info in shipped.items()}
    train, side = Tokenizers.train, OUT_OF_ORDER
    made |= {
        "bpe-bpe": train(PARTLY, PARTLY, **kinds("bpe", "bpe"), shared=True, bpe_size=70),
        "bpe-character": train(PARTLY, PARTLY, **kinds("bpe", "character"), shared=False),
        "words": train(WHOLE, WHOLE, **kinds("word", "word"), shared=False, stand_ins=STAND_INS),
        "merges": Tokenizers.from_dict({"shared": False, "source": side, "target": side}),
    }
    assert made.keys() >= {*MADE, *EVERYDAY}
    return made


def told_of(tokenizers: Mapping[str, Tokenizers], some: slice) -> Told:
    asked = list(islice(cases(tokenizers), some.start, some.stop))
    answers = told_by(
        SCRIPT,
        {
            "tokenizers": {name: of.to_dict() for name, of in tokenizers.items()},
            "cases": [case._asdict() for case in asked],
        },
    )
    pairs = list(zip(asked, answers["cases"], strict=True))
    return Told(pairs, answers["allTokens"])


@pytest.fixture(scope="module")
def told(tokenizers: Mapping[str, Tokenizers]) -> Told:
    return told_of(tokenizers, slice(0, QUICK))


def told_by_python(of: Tokenizers, source: str, target: str) -> dict[str, Any]:
    try:
        encoded = of.encode_source(source)
    except TextTooLongError as error:
        return {"error": type(error).__name__, "message": str(error)}
    forced = of.encode_target(target, source=encoded)
    named = of.naming(encoded).target
    return {
        "encoded": plain(encoded),
        "prompt": plain(of.encode_prompt(source)),
        "forced": plain(forced),
        "named": list(named.tokens(forced.ids)),
        "written": named.decode(forced.ids),
    }


def plain(encoding: Encoding) -> dict[str, Any]:
    """Return an encoding as JSON has it, without the suggestions that only Python makes."""
    return {
        "ids": list(encoding.ids),
        "tokens": list(encoding.tokens),
        "spans": [span and list(span) for span in encoding.spans],
        "units": list(encoding.units),
        "unknown": [{"text": u.text, "start": u.start, "end": u.end} for u in encoding.unknown],
        "copied": [dataclasses.asdict(word) for word in encoding.copied],
    }


@pytest.fixture
def _suggests_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the suggestions, which only Python makes."""
    monkeypatch.setattr("model.text.unknown._nearest", lambda *_args, **_how: ())


def check(told: Told, tokenizers: Mapping[str, Tokenizers]) -> None:
    for (name, source, target), answer in told.cases:
        expected = told_by_python(tokenizers[name], source, target)
        assert json.loads(answer) == expected, (name, source, target)


@pytest.mark.usefixtures("_suggests_nothing")
def test_it_reads_what_python_reads(told: Told, tokenizers: Mapping[str, Tokenizers]):
    check(told, tokenizers)


@pytest.mark.slow
@pytest.mark.usefixtures("_suggests_nothing")
def test_it_reads_thousands_of_texts_as_python_does(tokenizers: Mapping[str, Tokenizers]):
    check(told_of(tokenizers, slice(QUICK, COUNT)), tokenizers)


def test_the_texts_try_everything(told: Told):
    answers = [json.loads(answer) for _, answer in told.cases]
    read = [answer["encoded"] for answer in answers if "encoded" in answer]
    kinds = {word["kind"] for encoded in read for word in encoded["copied"]}
    assert kinds == {"noun", "plural noun", "name", "number", "time"}
    assert sum(bool(encoded["copied"]) for encoded in read) > QUICK / 4
    assert sum(bool(encoded["unknown"]) for encoded in read) > QUICK / 4
    assert sum(bool(a["forced"]["copied"]) for a in answers if "forced" in a) > QUICK / 8
    assert sum("error" in answer for answer in answers) == 2


def test_it_has_the_same_tokens(told: Told, tokenizers: Mapping[str, Tokenizers]):
    assert told.all_tokens == {
        name: [list(of.source.all_tokens), list(of.target.all_tokens)]
        for name, of in tokenizers.items()
    }


PREDICATES: dict[str, Callable[[str], bool]] = {
    "isSpace": str.isspace,
    "hasControl": lambda c: unicodedata.category(c) in ("Cc", "Cf"),
    "hasMark": lambda c: unicodedata.category(c).startswith("M"),
    "hasDigit": str.isdecimal,
    "hasLower": str.islower,
    "hasUpper": str.isupper,
    "hasTitle": lambda c: unicodedata.category(c) == "Lt",
    "hasLetterOrNumber": str.isalnum,
    "isHyphenated": lambda c: join_words(["a", f"-{c}"]) == f"a-{c}",
}


@pytest.mark.slow
def test_it_knows_each_character():
    known = told_by(SCRIPT, "characters")
    both = [chr(i) for i in known["assigned"] if unicodedata.category(chr(i)) != "Cn"]
    assert len(both) > 200_000
    assert known.keys() == {"assigned", *PREDICATES, "lower", "normalised"}
    for name, holds in PREDICATES.items():
        answers = set(map(chr, known[name]))
        differ = {c for c in both if (c in answers) != holds(c)}
        assert differ <= {*(CHANGED if name == "hasLower" else "")}, name
    for name, change in (
        ("lower", str.lower),
        ("normalised", lambda c: normalise(c, lower_case=True).text),
    ):
        answers = {chr(int(code)): made for code, made in known[name].items()}
        assert [c for c in both if answers.get(c, c) != change(c)] == [], name
