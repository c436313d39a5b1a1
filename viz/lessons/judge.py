"""Judges a guess: whether it is right, and what to reply."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from model.files.json_fields import shorten
from texts import language, named, say, say_of
from viz.lessons.lesson import Answer
from viz.lessons.reading_steps import OTHER
from viz.lessons.resolved_step import Option, Resolved, Truth

_LONGEST_GUESS = 80
_ROUNDING = 1e-6
_NUMBER = re.compile(r"-?([0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9})")


@dataclass(frozen=True)
class Judgement:
    """The reply to an answer."""

    right: bool
    sentence: str
    """The guess and the right answer in one sentence: "You said “sees”; it read “black”: 1.00." """
    wrong: str
    """The lesson's own text for this wrong answer; empty if it has none."""


def judge(resolved: Resolved, guess: str) -> Judgement:
    """Judge the name of an option, a number as text, or the names of an order separated by spaces.

    Raises:
        ValueError: If the step asks nothing, or this is not a possible guess.
    """
    answer, truth = resolved.step.answer, resolved.truth
    if answer is None or truth is None:
        raise ValueError("this step does not ask a question")
    if len(guess) > _LONGEST_GUESS:
        raise _unknown(shorten(guess))
    if resolved.surface == "number":
        right, called, said = _of_number(answer, truth, guess)
    elif resolved.surface == "order":
        right, called, said = _of_order(resolved, truth, guess)
    else:
        right, called, said = _of_option(resolved, truth, guess)
    text = resolved.step.wrong.get(called) or resolved.step.wrong.get(OTHER)
    return Judgement(right, said, text.said(language()) if text and not right else "")


def chip_text(resolved: Resolved, name: str) -> str:
    """Return the text of a chip: the lesson's own, or the usual text of such a chip."""
    chips = resolved.step.answer.chips if resolved.step.answer else ()
    own = (chip.text.said(language()) for chip in chips if chip.name == name)
    return next(own, None) or named("lesson.chip", name) or name


def _unknown(guess: str) -> ValueError:
    return ValueError(f"{guess!r} is not a possible answer here")


def _of_number(answer: Answer, truth: Truth, guess: str) -> tuple[bool, str, str]:
    digits = guess.strip().replace(",", ".")
    if not _NUMBER.fullmatch(digits) or truth.value is None:
        raise _unknown(guess)
    value = float(digits)
    right = abs(value - truth.value) <= answer.near + _ROUNDING
    called = "low" if value < truth.value else "high"
    values = {"guess": value, "truth": truth.value}
    if answer.kind == "count":
        return right, called, say_of("lesson.count", _verdict(right), **values)
    return right, called, say_of("lesson.number", _verdict(right), **values)


def _of_order(resolved: Resolved, truth: Truth, guess: str) -> tuple[bool, str, str]:
    names = guess.split()
    if sorted(names) != sorted(option.name for option in resolved.options):
        raise _unknown(guess)
    right = names == truth.name.split()
    mine, true = ", ".join(names), ", ".join(truth.name.split())
    return right, "", say_of("lesson.choice", _verdict(right), guess=mine, truth=true)


def _of_option(resolved: Resolved, truth: Truth, guess: str) -> tuple[bool, str, str]:
    options = {option.name: option for option in resolved.options}
    if guess not in options:
        raise _unknown(guess)
    mine, true, right = options[guess], options[truth.name], guess == truth.name
    called = _shown if resolved.surface in ("key", "head", "row") else _chip
    values = {
        "guess": called(resolved, mine),
        "truth": called(resolved, true),
        "value": truth.value or 0.0,
    }
    match resolved.surface:
        case "key":
            said = say_of("lesson.read", _verdict(right), **values)
        case "head":
            said = say_of("lesson.head", _verdict(right), **values)
        case "row":
            said = say_of("lesson.row", _verdict(right), **values)
        case _:
            said = say_of("lesson.choice", _verdict(right), **values)
    return right, mine.called, " ".join((said, *_evidence(resolved, truth)))


def _evidence(resolved: Resolved, truth: Truth) -> Iterator[str]:
    """Yield the sentences with the numbers or texts that prove the right chip."""
    if did := truth.sharpness:
        yield say_of("lesson.sharp_text", "same" if did.same_text else "changed")
        yield say("lesson.sharp_rows", **vars(did))
    if truth.before is not None:
        yield say("lesson.was", before=truth.before, now=truth.value)
    if resolved.kind == "same":
        one, other = truth.texts
        yield say_of("lesson.become", truth.name, one=one, other=other)
    if resolved.kind == "depth":
        below, between, last = truth.texts
        yield say("lesson.depths", below=below, between=between, last=last)


def _verdict(right: bool) -> str:
    return "right" if right else "wrong"


def _chip(resolved: Resolved, option: Option) -> str:
    return chip_text(resolved, option.name)


def _shown(resolved: Resolved, option: Option) -> str:
    """Name a token, with a number if the same token occurs more than once: "the (2)"."""
    equals = [other.name for other in resolved.options if other.shown == option.shown]
    if len(equals) == 1:
        return option.shown
    return f"{option.shown} ({equals.index(option.name) + 1})"
