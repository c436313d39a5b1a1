"""The exam before its end tells nothing; the scores count what is right."""

import json
from dataclasses import replace

from viz.lessons.exam import ExamRow
from viz.lessons.lesson import Answer, Step, Text
from viz.lessons.resolved_step import Covered, Option, Place, Resolved, Truth
from viz.subjects.lessons.packing import NOT_GIVEN, ExamGiven, pack_exam, scores


def row(truth: int, simple: int) -> ExamRow:
    step = Step(
        "check", "attention", "a b c", Text({"en": "?", "fr": "?"}), answer=Answer("largest")
    )
    options = tuple(
        Option(str(i), word, 0.8125 if i == truth else 0.09375) for i, word in enumerate("abc")
    )
    place = Place("cross-attention", 0, 0, 1)
    query = {"source": "a b c", "query": "1"}
    covered = (Covered("words", tokens=(2, 3)),)
    resolved = Resolved(
        step, "attention", query, place, "key", options, covered, Truth(str(truth)), str(simple),
        ("<s>", "un", "deux", "trois"),
    )  # fmt: skip
    return ExamRow(resolved, "gloss")


ROWS = (row(0, 1), row(1, 1), row(2, 1))


def test_before_the_end_no_row_tells_what_is_so():
    sent = pack_exam(ROWS, 7, NOT_GIVEN)
    assert sent["scores"] is None
    assert not any(tells in json.dumps(sent) for tells in ("0.8125", "deux", "trois", "key="))
    others = [replace(one.resolved, truth=Truth("1")) for one in ROWS]
    moved = [replace(one, resolved=other) for one, other in zip(ROWS, others, strict=True)]
    assert pack_exam(moved, 7, NOT_GIVEN) == sent


def test_after_it_every_row_does():
    sent = pack_exam(ROWS, 7, ExamGiven(("0", "0", "0"), frozenset({1})))
    assert [one["truth"] for one in sent["rows"]] == ["0", "1", "2"]
    assert [one["following"] for one in sent["rows"]] == ["deux"] * 3
    assert sent["rows"][1]["link"] == "attention?source=a+b+c&query=1&key=1&lang=en"
    assert (sent["scores"], sent["helped"]) == ((1, 1, 3), [1])


def test_scores_are_of_the_person_the_simple_rule_and_the_head():
    assert scores(ROWS, ("0", "1", "0")) == (2, 1, 3)
