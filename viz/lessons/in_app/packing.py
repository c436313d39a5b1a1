"""Packs a step of a lesson for its panel in the browser, without anything that tells the answer."""

from collections.abc import Iterable

from texts import language
from viz.lessons.in_app import catalogue
from viz.lessons.in_app.navigation import Scene, cover_of
from viz.lessons.in_app.wire import (
    WireLesson,
    WireOption,
    WirePicture,
    WireVerdict,
)
from viz.lessons.judge import chip_text, judge
from viz.lessons.resolved_step import Option, Resolved
from viz.run.redaction import COVERED_TOKEN

LONGEST_GUESS = 200


def pack_scene(scene: Scene, *, hints: int, there: bool, presenting: bool) -> WireLesson:
    """Pack a step.

    Args:
        scene: The current step.
        hints: How many hints were asked for.
        there: Whether the run in view is the one of the step.
        presenting: Whether an audience answers together.
    """
    resolved, step, spoken = scene.resolved, scene.resolved.step, language()
    after = catalogue.following(scene.lesson)
    written = written_before(resolved)
    shown = [hint.said(spoken) for hint in step.hints[:hints]] if scene.is_open else []
    return {
        "lesson": scene.at.lesson,
        "part": scene.at.part,
        "parts": len(scene.lesson.steps),
        "language": spoken,
        "title": scene.lesson.title.said(spoken),
        "prompt": step.prompt.said(spoken),
        "source": [] if resolved.surface == "key" else step.source.split(),
        "written": written,
        "following": _following(scene) if written else "",
        "surface": resolved.surface,
        "options": [_option(one, resolved, is_open=scene.is_open) for one in resolved.options],
        "about": _about(resolved),
        "hints": shown,
        "more": scene.is_open and hints < len(step.hints),
        "out": ruled_out(resolved) if shown else [],
        "verdict": _verdict(scene),
        "last": scene.at.part == len(scene.lesson.steps),
        "there": there,
        "small": scene.is_small,
        "told": scene.is_told,
        "opens": scene.opens,
        "hides": scene.is_open or scene.cover.hides,
        "presenting": presenting,
        "next": after.title.said(spoken) if after else "",
    }


def ruled_out(resolved: Resolved) -> list[str]:
    """Name half of the options, all of them wrong, and never the guess of the simple rule."""
    if resolved.truth is None or resolved.surface == "order":
        return []
    kept = {resolved.truth.name, resolved.simple}
    wrong = [one.name for one in resolved.options if one.name not in kept]
    half = len(resolved.options) // 2
    step = len(wrong) / half if half else 1
    spread = {int(i * step) for i in range(half)}  # spread, because a rest at one end would tell
    return [name for i, name in enumerate(wrong) if i in spread]


def option_text(option: Option, resolved: Resolved) -> str:
    """Return the text of an option: a token as it is, a chip in words."""
    if resolved.surface == "chip":
        return chip_text(resolved, option.name)
    return option.shown


def written_before(resolved: Resolved) -> str:
    """Return the written words before the first hidden word of the target."""
    hidden = cover_of(resolved).words
    return _joined(resolved.tokens[1 : hidden[0]]) if hidden else ""


def _joined(words: Iterable[str]) -> str:
    """Join French words to a text, without a space after an apostrophe: "c'est"."""
    return "".join(word if word.endswith("'") else f"{word} " for word in words).rstrip()


def word_asked(resolved: Resolved) -> str:
    """Return the first word of the target that the question hides."""
    return resolved.tokens[cover_of(resolved).words[0]]


def _option(option: Option, resolved: Resolved, *, is_open: bool) -> WireOption:
    weight = None if is_open or resolved.surface not in ("key", "head") else option.value
    return {
        "name": option.name,
        "text": option_text(option, resolved),
        "weight": weight,
        "picture": _picture(option, resolved),
    }


def _picture(option: Option, resolved: Resolved) -> WirePicture | None:
    """Draw the head of one snapshot in an ordering question; all snapshots get the same text."""
    place = resolved.place
    if not option.checkpoint or place is None or place.layer is None or place.head is None:
        return None
    weights = catalogue.weights_of(
        option.checkpoint,
        resolved.step.source,
        written_by=resolved.step.checkpoint or option.checkpoint,
        place=(place.kind, place.layer, place.head),
    )
    rows, columns = weights.shape
    return {
        "rows": rows,
        "columns": columns,
        "weights": (100 * weights).round().astype(int).ravel().tolist(),
    }


def _following(scene: Scene) -> str:
    return COVERED_TOKEN if scene.is_open else word_asked(scene.resolved)


def _about(resolved: Resolved) -> dict[str, str | int]:
    place = resolved.place
    if place is None:
        return {}
    named: Iterable[tuple[str, str | int | None]] = (
        ("kind", place.kind),
        ("layer", place.layer),
        ("head", place.head),
        ("query", place.query),
    )
    left = {"key": (), "row": ("query",), "head": ("layer", "head")}.get(resolved.surface or "", ())
    return {name: value for name, value in named if value is not None and name not in left}


def _verdict(scene: Scene) -> WireVerdict | None:
    given, truth = scene.given, scene.resolved.truth
    if given is None or truth is None:
        return None
    judged = judge(scene.resolved, given.guess)
    return {
        "guess": given.guess,
        "helped": given.hints > 0,
        "right": judged.right,
        "truth": truth.name,
        "sentence": judged.sentence,
        "wrong": judged.wrong,
        "why": scene.resolved.step.why.said(language()),
    }
