"""Reads one step of a lesson's file: the fields that each kind of answer needs or forbids."""

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from viz.address.changes import MOST_CHANGES
from viz.lessons.edits import HEAD_NAMES, LONGEST, check_edit
from viz.lessons.faults import LessonError
from viz.lessons.fields import Fields
from viz.lessons.lesson import (
    NO_TEXT,
    PAGE_QUERY,
    Answer,
    AnswerKind,
    Chip,
    Compared,
    Count,
    Cover,
    Number,
    Page,
    See,
    Step,
    StepKind,
    Text,
)
from viz.lessons.measures import DEPTHS
from viz.run.axes import KINDS

LONGEST_SOURCE = 300
LONGEST_WORD = 40
LONGEST_NAME = 80
_MOST_WRONG = 12
OTHER = "other"
"""Key of the reply to every wrong answer without a reply of its own."""

_CHIPS: Mapping[str, tuple[str, ...]] = {
    "choice": ("less", "same", "more"),
    "same": ("same", "different"),
    "depth": DEPTHS,
    "number": ("low", "high"),
    "count": ("low", "high"),
    "order": (),
}
"""Keys of the replies to wrong answers, for the kinds whose options are not in the file."""
_OF: Mapping[AnswerKind, tuple[str, ...]] = {
    "number": get_args(Number),
    "count": get_args(Count),
    "choice": get_args(Compared),
}
_OWN: Mapping[AnswerKind, tuple[str, ...]] = {
    "largest": ("over", "word"),
    "row_that_writes": ("word",),
    "written": ("words",),
    "same": ("source",),
    "number": ("of", "near"),
    "count": ("of", "near", "samples", "temperature"),
    "order": ("checkpoints",),
    "depth": (),
    "choice": ("of", "chips"),
}
"""The fields of each kind of answer, besides `kind`."""
_OWN_OF: Mapping[str, tuple[str, ...]] = {
    "dot product": ("query", "key"),
    "times the weight": ("numbers",),
    "likeness of places": ("numbers",),
    "times as long": ("tensor",),
    "rows that change": ("tensor",),
    "numbers above 0": ("tensor",),
}
"""More fields, by the number or count that the answer asks for."""
_NEEDS_ROW = ("largest", "written", "depth")
_NEEDS_ROW_OF = ("largest weight", "keys in reach", "numbers above 0")
_NEEDS_EDITS_OF = ("times as long", "rows that change")
_MOST_NUMBERS = 16
_LARGEST = 1000.0
_HIDES: Mapping[AnswerKind, tuple[Cover, ...]] = {
    "largest": ("row", "picture"),
    "row_that_writes": ("labels", "picture"),
    "written": ("words", "translation"),
    "same": ("translation",),
    "number": ("row", "picture", "numbers"),
    "count": ("numbers", "picture", "row"),
    "order": ("picture",),
    "depth": ("numbers", "picture"),
    "choice": ("numbers", "picture", "row"),
}
"""Covers of which a step needs at least one; without it, the page would show the answer."""


def read_step(fields: Fields) -> Step:
    """Read one step, and note every fault in its form."""
    asked: StepKind | None = fields.one_of("kind", get_args(StepKind), needed=True)
    page: Page = fields.one_of("page", get_args(Page), needed=True) or "attention"
    answer = _answer(fields.inner("answer")) if fields.has("answer") else None
    step = Step(
        kind=asked or "show",
        page=page,
        source=fields.line("source", LONGEST_SOURCE, needed=True),
        prompt=fields.text("prompt", needed=True),
        see=_see(fields.inner("see")) if fields.has("see") else None,
        target=fields.line("target", LONGEST_SOURCE),
        checkpoint=fields.path("checkpoint", LONGEST_NAME),
        edits=fields.lines("edits", MOST_CHANGES, LONGEST),
        query=_query(fields.inner("query"), page),
        cover=fields.some_of("cover", get_args(Cover)),
        answer=answer,
        wrong=_wrong(fields.inner("wrong"), answer),
        hints=fields.texts("hints", 2),
        why=fields.text("why"),
    )
    for number, edit in enumerate(step.edits, 1):
        try:
            check_edit(edit, f"edits {number}")
        except LessonError as error:
            for found in error.faults:
                fields.note(found.says, found.place)
    if asked is not None:
        _check_kind(fields, step)
    fields.end(("answer", "see"))
    return step


def _see(fields: Fields) -> See:
    see = See(
        kind=fields.one_of("kind", KINDS, needed=True) or KINDS[0],
        head=fields.one_of("head", HEAD_NAMES),
        writes=fields.line("writes", LONGEST_WORD),
        reads=fields.line("reads", LONGEST_WORD),
        place=fields.whole("place", 1, 64, 1),
    )
    if see.writes and see.reads:
        fields.fault("two_rows")
    fields.end()
    return see


def _query(fields: Fields, page: Page) -> Mapping[str, str]:
    allowed = sorted(PAGE_QUERY[page])
    found = {name: fields.line(name, LONGEST_NAME) for name in fields.names() if name in allowed}
    fields.end(allowed)
    return found


def _answer(fields: Fields) -> Answer | None:
    kind = fields.one_of("kind", get_args(AnswerKind), needed=True)
    if kind is None:
        return None
    own, of = _OWN[kind], _OF.get(kind, ())
    answer = Answer(kind)
    if "of" in own:
        answer = replace(answer, of=fields.one_of("of", of, needed=True))
        answer = _given(fields, answer, _OWN_OF.get(answer.of or "", ()))
    if "over" in own:
        over = ("keys", "heads")
        answer = replace(answer, over=fields.one_of("over", over) or "keys")
    if "word" in own and (kind != "largest" or answer.over == "heads"):
        answer = replace(answer, word=fields.line("word", LONGEST_WORD, needed=True))
    if "source" in own:
        answer = replace(answer, source=fields.line("source", LONGEST_SOURCE, needed=True))
    if "near" in own:
        answer = replace(answer, near=fields.number("near", 0.0, 100.0, 0.0))
    if "samples" in own:
        samples = fields.whole("samples", 1, 20, 10)
        warmth = fields.number("temperature", 0.1, 3.0, 1.0)
        answer = replace(answer, samples=samples, temperature=warmth)
    if "checkpoints" in own:
        answer = replace(answer, checkpoints=_three(fields, "checkpoints", LONGEST_NAME))
        fields.check_paths("checkpoints", answer.checkpoints)
    if "words" in own:
        words = _three(fields, "words", LONGEST_WORD)
        answer = replace(answer, chips=tuple(Chip(word, Text.same(word)) for word in words))
    if "chips" in own:
        chips = fields.inner("chips")
        made = tuple(Chip(name, chips.text(name, needed=True)) for name in _CHIPS["choice"])
        chips.end()
        answer = replace(answer, chips=made)
    fields.end()
    return answer


def _given(fields: Fields, answer: Answer, own: tuple[str, ...]) -> Answer:
    """Read the numbers or the tensor from which a number is computed."""
    lists = {
        name: fields.numbers(name, _MOST_NUMBERS, -_LARGEST, _LARGEST)
        for name in ("query", "key", "numbers")
        if name in own
    }
    answer = replace(answer, **lists)
    if "query" in own and (not answer.query or len(answer.query) != len(answer.key)):
        fields.fault("same_length")
    if "numbers" in own and len(answer.numbers) != 2:
        fields.fault("two_numbers", "numbers")
    if "tensor" in own:
        answer = replace(answer, tensor=fields.line("tensor", LONGEST_NAME, needed=True))
    return answer


def _three(fields: Fields, name: str, longest: int) -> tuple[str, ...]:
    found = fields.lines(name, 3, longest)
    if len(set(found)) != 3:
        fields.fault("three", name)
    return found


def _wrong(fields: Fields, answer: Answer | None) -> Mapping[str, Text]:
    if len(fields.names()) > _MOST_WRONG:
        fields.most("entries", _MOST_WRONG, len(fields.names()))
        return {}
    known = _CHIPS.get(answer.kind) if answer else None
    if answer and answer.kind == "written":
        known = tuple(chip.name for chip in answer.chips)
    names = fields.names() if known is None else (*known, OTHER)
    found = {name: fields.text(name) for name in names if fields.has(name)}
    fields.end(names)
    return found


def _check_kind(fields: Fields, step: Step) -> None:
    """Note what a step lacks, and fields that its kind and its answer do not use."""
    if step.kind == "show":
        for name in ("answer", "wrong", "hints", "cover", "why"):
            if fields.has(name):
                fields.fault("asks_nothing", name)
        return
    if step.answer is None:
        if not fields.has("answer"):
            fields.fault("no_answer", kind=step.kind)
        return
    if len(step.hints) != 2:
        fields.fault("two_hints", "hints")
    if step.why == NO_TEXT and not fields.has("why"):
        fields.fault("no_why")
    _check_answer(fields, step, step.answer)


def _check_answer(fields: Fields, step: Step, answer: Answer) -> None:
    see = step.see
    has_row = fields.has_in("see", "writes") or fields.has_in("see", "reads")
    if not has_row and (answer.kind in _NEEDS_ROW or answer.of in _NEEDS_ROW_OF):
        fields.fault("needs_see", fields=("writes", "reads"))
    needs_head = answer.kind == "largest" and answer.over == "keys"
    needs_head |= answer.of == "largest weight"
    if needs_head and not fields.has_in("see", "head"):
        fields.fault("needs_see", fields=("head",))
    if answer.kind in ("row_that_writes", "choice") and see is None:
        fields.fault("needs_see", fields=("kind",))
    if answer.over == "heads" and see is not None and see.head is not None:
        fields.fault("head_asked", "see.head")
    if (answer.kind in ("choice", "written") or answer.of in _NEEDS_EDITS_OF) and not step.edits:
        fields.fault("no_edits")
    hides = ("thumbnails",) if answer.over == "heads" else _HIDES[answer.kind]
    if not set(hides) & set(step.cover):
        fields.fault("hide", "cover", covers=hides)
