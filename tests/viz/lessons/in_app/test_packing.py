"""A step's data reveals nothing before the answer, and everything after it."""

import json
from dataclasses import replace

import pytest

from viz.lessons.in_app.navigation import Scene, cover_of
from viz.lessons.in_app.packing import pack_scene, ruled_out
from viz.lessons.in_app.progress import Given, Standing
from viz.lessons.lesson import Answer, Lesson, Step, Text
from viz.lessons.resolved_step import Covered, Option, Place, Resolved, Truth
from viz.run.axes import KINDS

TOKENS = ("<s>", "le", "chat", "noir", "</s>")
WEIGHTS = (0.0125, 0.9625, 0.0175, 0.0075)


def text(said: str) -> Text:
    return Text({"en": said, "fr": f"{said} (fr)"})


@pytest.fixture
def resolved() -> Resolved:
    step = Step(
        kind="ask",
        page="attention",
        source="the black cat .",
        prompt=text("Which word is read?"),
        answer=Answer("largest"),
        hints=(text("half"), text("the rule")),
        why=text("It jumps back."),
    )
    words = step.source.split()
    return Resolved(
        step=step,
        page="attention",
        query={"checkpoint": "a", "source": step.source},
        place=Place("cross-attention", 1, 2, 2),
        surface="key",
        options=tuple(
            Option(str(i), word, weight, word)
            for i, (word, weight) in enumerate(zip(words, WEIGHTS, strict=True))
        ),
        covered=(
            Covered("row", "cross-attention", rows=(2,)),
            Covered("words", "cross-attention", tokens=(3, 4)),
        ),
        truth=Truth("1", WEIGHTS[1]),
        simple="3",
        tokens=TOKENS,
    )


def scene(resolved: Resolved, given: Given | None = None) -> Scene:
    lesson = Lesson("one", text("One"), text("Goal"), "a", (resolved.step,))
    return Scene(Standing("one", 1), lesson, resolved, given)


def packed(scene: Scene, hints: int = 0):
    return pack_scene(scene, hints=hints, there=True, presenting=False)


def test_an_open_question_tells_nothing(resolved: Resolved):
    sent = packed(scene(resolved))
    said = json.dumps(sent)
    assert sent["verdict"] is None
    assert (sent["written"], sent["following"]) == ("le chat", "…")
    assert "noir" not in said
    assert "jumps back" not in said
    assert not any(str(weight) in said for weight in WEIGHTS)
    assert not any(hint.said("en") in sent["hints"] for hint in resolved.step.hints)


def test_two_right_answers_look_the_same_before_the_commit(resolved: Resolved):
    other = replace(resolved, truth=Truth("2", WEIGHTS[2]), simple="0")
    assert packed(scene(resolved)) == packed(scene(other))


def test_an_answer_shows_all_of_it(resolved: Resolved):
    sent = packed(scene(resolved, Given("3", 1)))
    assert sent["verdict"]
    assert (sent["verdict"]["right"], sent["verdict"]["truth"]) == (False, "1")
    assert (sent["verdict"]["helped"], sent["verdict"]["why"]) == (True, "It jumps back.")
    assert [one["weight"] for one in sent["options"]] == list(WEIGHTS)
    assert sent["following"] == "noir"


def test_the_first_hint_rules_out_half_and_never_the_truth(resolved: Resolved):
    assert packed(scene(resolved))["out"] == []
    out = packed(scene(resolved), hints=1)["out"]
    assert out == ruled_out(resolved) == ["0", "2"]
    many = tuple(Option(str(i), str(i), 0.0) for i in range(11))
    for right in range(11):
        found = ruled_out(replace(resolved, options=many, truth=Truth(str(right))))
        assert (len(set(found)), str(right) in found) == (5, False)


def test_the_asked_row_is_covered_whatever_the_file_says(resolved: Resolved):
    bare = cover_of(replace(resolved, covered=()))
    assert (bare.takes, bare.rows) == ("key", (("cross-attention", (2,)),))
    whole = cover_of(resolved)
    assert (whole.words, ("cross-attention", (2,)) in whole.rows) == ((3, 4), True)


def test_where_a_row_is_asked_for_every_weight_is_covered(resolved: Resolved):
    cover = cover_of(replace(resolved, surface="row", truth=Truth("1")))
    assert (cover.takes, cover.rows, cover.words) == ("query", (("cross-attention", ()),), ())


def test_where_no_picture_is_asked_about_every_weight_is_covered(resolved: Resolved):
    cover = cover_of(replace(resolved, surface="chip"))
    assert (cover.takes, cover.words) == ("nothing", (3, 4))
    assert [one for one in cover.rows if not one.rows] == [(kind, ()) for kind in KINDS]
    assert not cover_of(replace(resolved, surface=None, truth=None, covered=())).hides
