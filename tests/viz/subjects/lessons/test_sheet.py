"""The sheet to print: questions first, then the answers; no scripts and no requests."""

import html

from texts import speaking
from viz.lessons.lesson import Answer, Lesson, Step, Text
from viz.lessons.resolved_step import Option, Place, Resolved, Truth
from viz.subjects.lessons.sheet import sheet

HOSTILE = "</li><script>alert(1)</script>"


def made(prompt: str) -> tuple[Lesson, list[Resolved]]:
    step = Step(
        kind="ask",
        page="attention",
        source="the black cat .",
        prompt=Text({"en": prompt, "fr": "Quel mot ?"}),
        answer=Answer("largest"),
        why=Text({"en": "It jumps back.", "fr": "Elle revient."}),
    )
    options = tuple(
        Option(str(i), word, weight)
        for i, (word, weight) in enumerate((("the", 0.0), ("black", 0.97), ("cat", 0.03)))
    )
    asked = Resolved(
        step, "attention", {}, Place("cross-attention", 0, 0, 0), "key", options, (),
        Truth("1", 0.97), None,
    )  # fmt: skip
    shown = Resolved(
        Step("show", "map", "the black cat .", Text({"en": "Look.", "fr": "Regardez."})),
        "map", {}, None, None, (), (), None, None,
    )  # fmt: skip
    lesson = Lesson(
        "one",
        Text({"en": "One", "fr": "Un"}),
        Text({"en": "Goal", "fr": "But"}),
        "a",
        (shown.step, step),
    )
    return lesson, [shown, asked]


def test_the_answers_stand_after_the_questions():
    page = sheet(*made("Which word?"))
    questions, answers = page.split('<section class="answers">')
    assert "Which word?" in questions
    assert "It jumps back." not in questions
    assert "0.97" not in questions
    assert "Look." not in page
    assert "<b>black</b> (0.97)" in answers
    assert "It jumps back." in answers
    assert ".answers { break-before: page; }" in page


def test_it_speaks_the_language_that_is_asked_for():
    with speaking("fr"):
        page = sheet(*made("Which word?"))
    assert '<html lang="fr">' in page
    assert "Quel mot ?" in page
    assert "Which word?" not in page
    assert "<b>black</b> (0,97)" in page
    assert "Un – Réponses" in page


def test_a_hostile_lesson_stays_text():
    page = sheet(*made(HOSTILE))
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "default-src 'none'" in html.unescape(page)
