"""A lesson as a sheet to print: one self-contained HTML file without scripts."""

from collections.abc import Sequence

from markupsafe import Markup

from texts import language, say
from viz.lessons.in_app.packing import option_text, written_before
from viz.lessons.lesson import Lesson
from viz.lessons.resolved_step import Resolved
from viz.pictures.tokens import escape, joined

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { font: 12pt/1.5 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 18pt; margin: 0; } h2 { font-size: 14pt; }
p { margin: 0.3rem 0; } li { margin: 0 0 1.4rem; break-inside: avoid; }
.goal, .made { color: #444; } .name { float: right; }
.choices { list-style: none; display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem; padding: 0; }
.choices li { margin: 0; } .choices li::before { content: "☐ "; }
.line { border-bottom: 1px solid #777; height: 1.8rem; }
.answers { break-before: page; }
@page { margin: 18mm; }
"""
_IN_PICTURES = ("head", "order")
"""The kinds of steps that cannot be answered without the pictures of the page."""
_PAGE = Markup(
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="{policy}">'
    "<title>{title}</title><style>{style}</style></head><body>"
    '<p class="name">{name} ____________________</p><h1>{title}</h1><p class="goal">{goal}</p>'
    '<ol>{questions}</ol><section class="answers"><h2>{heading}</h2><ol>{answers}</ol>'
    '<p class="made">{made}</p></section></body></html>'
)


def sheet(lesson: Lesson, steps: Sequence[Resolved]) -> str:
    """Write the sheet: the question of each step, then the answers on a new page.

    Args:
        lesson: The lesson.
        steps: All its steps on their runs; those without a question, or with a pictured one, are
            left out.
    """
    title = lesson.title.said(language())
    asked = [step for step in steps if step.truth and step.surface not in _IN_PICTURES]
    return str(
        _PAGE.format(
            language=language(),
            policy=_POLICY,
            style=Markup(_STYLE),  # noqa: S704 - a constant of this file
            title=escape(title),
            goal=escape(lesson.goal.said(language())),
            name=say("learn.sheet.name"),
            heading=say("learn.sheet.answers", title=title),
            questions=joined(_question(step) for step in asked),
            answers=joined(_answer(step) for step in asked),
            made=say("learn.sheet.made", checkpoint=lesson.checkpoint),
        )
    )


def _question(resolved: Resolved) -> Markup:
    written = written_before(resolved)
    choices = joined(
        Markup("<li>{}</li>").format(escape(option_text(one, resolved))) for one in resolved.options
    )
    return Markup("<li><p>{} <q>{}</q></p>{}<p>{}</p>{}</li>").format(
        say("learn.sheet.sentence"),
        escape(resolved.step.source),
        _line(say("learn.sheet.written"), written) if written else "",
        escape(resolved.step.prompt.said(language())),
        Markup('<p>{}</p><ul class="choices">{}</ul>').format(say("learn.sheet.choices"), choices)
        if choices
        else Markup('<p>{}</p><div class="line"></div>').format(say("learn.sheet.your_answer")),
    )


def _answer(resolved: Resolved) -> Markup:
    truth = resolved.truth
    assert truth is not None
    named = {one.name: option_text(one, resolved) for one in resolved.options}
    weight = ""
    if resolved.surface == "key" and truth.value:
        weight = f" {say('learn.sheet.weight', value=truth.value)}"
    return Markup("<li><p><b>{}</b>{}</p><p>{}</p></li>").format(
        escape(named.get(truth.name, truth.name)),
        weight,
        escape(resolved.step.why.said(language())),
    )


def _line(heading: str, text: str) -> Markup:
    return Markup("<p>{} {}</p>").format(heading, escape(text))
