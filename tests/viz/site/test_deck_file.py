"""The file of a lecture: the command accepts and refuses the same decks as the app's page."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.node import told_by
from texts import speaking
from viz.site.deck_file import MOST, DeckError, read_deck, read_text
from viz.subjects.lecture.shipped_decks import FOLDER

SCRIPT = Path(__file__).with_name("deck_file.mjs")
PAGES = ("start", "attention", "masks")
LINK = "attention?source=the+cat"
SLIDE = {
    **{"id": "abc1", "title": "One", "notes": "say\nthis", "caption": "dark", "link": LINK},
    **{"question": "Which?", "answers": ["a", "b"], "hands": [3, None], "panel": "card_head"},
    **{"shows": "row", "picture": '<svg xmlns="http://www.w3.org/2000/svg"/>'},
}
DECK = {"loupe": "deck", "version": 1, "title": "x", "slides": [SLIDE, {"link": "masks"}]}
ODD = (
    *(None, True, False, 0, 7, -1, 1.5, 1e30, "", " ", [], {}, [[]], ["a"] * 7, [1, 2, 3, 4]),
    *("a\u0000b", "a\u202eb", "a\u0085b", "é" * 130, "𝒜" * 70, "x" * 9_000, "<svg", "<svg >"),
    *(
        "https://example.org/",
        "//a",
        "masks#x",
        "nowhere?a=b",
        "Start",
        "../masks",
        "a b",
        [1, None],
    ),
    *([10_000, 1], [None], [True], [-1], ["a", 1], "card-1_B", "\ud800", "\u2028", "\ufeff"),
)
TEXTS = (
    *("", "7", "[]", "null", "{", "[" * 100_000, '{"slides": {}}', '{"slides": []} x'),
    *('{"slides": [NaN]}', '{"slides": [{"link": "masks", "hands": [Infinity]}]}'),
    *('{"slides": [], "__proto__": {}}', '{"version": 2, "slides": []}', "\ufeff{}", "'x'"),
    *('{"version": true, "slides": []}', '{"version": 1.0, "slides": []}', '{"slides": [01]}'),
)


def damaged(count: int) -> list[str]:
    """Write decks with one or two fields that have an odd value, are missing or are unknown."""
    draw = random.Random(35)
    found = []
    for _ in range(count):
        deck = json.loads(json.dumps(DECK))
        for _ in range(draw.randint(1, 2)):
            place = draw.choice([deck, *(s for s in deck["slides"] if isinstance(s, dict))])
            name = draw.choice([*place, *SLIDE, "colour", "slides", "version"])
            if draw.random() < 0.2:
                place.pop(name, None)
            else:
                place[name] = draw.choice(ODD)
            if not isinstance(deck.get("slides"), list):
                break
        found.append(json.dumps(deck))
    return found


def read(text: str) -> Any:
    try:
        deck = read_text(text, PAGES)
    except DeckError as error:
        return str(error)
    return {"title": deck["title"], "slides": len(deck["slides"])}


def plain(said: Any) -> Any:
    """Drop the parser's reason from a message; unify how it writes numbers and lone surrogates."""
    if not isinstance(said, str):
        return said
    said = re.sub(r"(is not valid JSON) \(.*\)", r"\1", said).replace("1e+30", "1e30")
    return re.sub(r"\\ud[89a-f][0-9a-f]{2}|[\ud800-\udfff]", "\ufffd", said)


def test_the_command_takes_and_refuses_what_the_page_does():
    texts = [*TEXTS, *damaged(600)]
    told = told_by(SCRIPT, {"texts": texts, "pages": PAGES})
    with speaking("en"):
        ours = [plain(read(text)) for text in texts]
    theirs = [plain(said) for said in told["said"]]
    differ = [(a, b, text[:300]) for a, b, text in zip(ours, theirs, texts, strict=True) if a != b]
    assert differ == []
    refused = {said for said in ours if isinstance(said, str)}
    assert len(refused) > 60, "faults of many kinds"
    assert sum(isinstance(said, dict) for said in ours) > 60
    assert {name: told["most"][name] for name in MOST} == MOST


def test_a_lecture_is_read_as_the_page_reads_it():
    paths = sorted(FOLDER.glob("*/*.json"))
    texts = [path.read_text("utf-8") for path in paths] + [json.dumps(DECK)]
    told = told_by(SCRIPT, {"texts": texts, "pages": None, "whole": True})["said"]
    for text, theirs in zip(texts, told, strict=True):
        ours = read_text(text, None)
        assert ours["title"] == theirs["title"]
        for own, other in zip(ours["slides"], theirs["slides"], strict=True):
            assert own == {name: other[name] for name in own}
            assert not any(other[name] for name in other.keys() - own.keys() - {"id"})
    assert [read_deck(path) for path in paths] == [read_text(text, None) for text in texts[:-1]]


def test_a_file_that_is_too_large_or_empty_is_refused(tmp_path: Path):
    file = tmp_path / "deck.json"
    file.write_bytes(b" " * (MOST["saved"] + 1))
    with pytest.raises(DeckError, match="too long: at most 3,000,000"):
        read_deck(file)
    file.write_bytes(b" " * (4 * MOST["saved"] + 1))
    with pytest.raises(DeckError, match="too long: at most 3,000,000"):
        read_deck(file)
    file.write_text('{"slides": []}')
    with pytest.raises(DeckError, match="needs a list of slides"):
        read_deck(file)
