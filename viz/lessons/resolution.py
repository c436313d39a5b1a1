"""Resolves a step by role to numbers: its link, options, covers, right answer and faults."""

from collections.abc import Iterator
from dataclasses import replace

from model.checkpoints.checkpoint import Checkpoint
from viz.address.changes import Change, write_changes
from viz.lessons.answers import Asked, Found, find_answer
from viz.lessons.edits import read_edit
from viz.lessons.faults import Fault, LessonError, nearest, passed_on, refuse, told
from viz.lessons.lesson import Cover, Lesson, See, Step
from viz.lessons.places import find_head, find_row, kind_of
from viz.lessons.reading_steps import OTHER
from viz.lessons.resolved_step import Covered, Place, Resolved, Runs
from viz.run.record import Run, encode_given


def resolve(lesson: Lesson, step: Step, runs: Runs) -> Resolved:
    """Find what a step names in its run, and compute its answer.

    Raises:
        LessonError: If the run has no such row, word or head, or no clear answer.
    """
    name = step.checkpoint or lesson.checkpoint
    try:
        checkpoint = runs.checkpoint(name)
    except LessonError:
        raise
    except ValueError as error:
        raise passed_on("checkpoint", error) from None
    try:
        plain = runs.run(name, step.source, step.target, ())
    except LessonError:
        raise
    except ValueError as error:
        raise passed_on("source", error) from None
    _check_words(plain, step)
    run = _edited(step, name, checkpoint, plain, runs)
    row_in = plain if step.answer and step.answer.kind == "written" else run
    place = _place(checkpoint, row_in, step.see) if step.see else None
    found: Found | None = None
    if step.answer:
        found = _answer(Asked(step, step.answer, checkpoint, run, plain, place, runs))
    return Resolved(
        step=step,
        page=step.page,
        query=_query(name, step, run, place, found),
        place=place,
        surface=found.surface if found else None,
        options=found.options if found else (),
        covered=tuple(_covered(what, place, run) for what in step.cover),
        truth=found.truth if found else None,
        simple=found.simple if found else None,
        tokens=run.target_tokens,
    )


def _answer(asked: Asked) -> Found:
    try:
        return find_answer(asked)
    except LessonError:
        raise
    except (ValueError, LookupError) as error:  # another checkpoint or text, or a missing part
        raise passed_on("answer", error) from None


def _check_words(run: Run, step: Step) -> None:
    """Refuse words that the model does not know, because it would guess their meaning."""
    texts = [("source", run.source)]
    if step.target:
        texts.append(("target", encode_given(run.info, step.target, run.source)))
    for field, text in texts:
        if text.unknown:
            word = text.unknown[0].text
            side = run.info.tokenizers.source if field == "source" else run.info.tokenizers.target
            raise refuse(field, "unknown", nearest(word, side.all_tokens), word=word)
    if run.source.copied:
        raise refuse("source", "unknown", word=run.source.copied[0].text)


def _edited(step: Step, name: str, checkpoint: Checkpoint, plain: Run, runs: Runs) -> Run:
    if not step.edits:
        return plain
    made = tuple(
        read_edit(text, checkpoint, plain, f"edits {number}")
        for number, text in enumerate(step.edits, 1)
    )
    try:
        return runs.run(name, step.source, step.target, made)
    except ValueError as error:
        raise passed_on("edits", error) from None


def _place(checkpoint: Checkpoint, run: Run, see: See) -> Place:
    layer, head = None, None
    if see.kind not in run.anatomy.names:
        raise refuse("see.kind", "no_kind", name=run.info.name, kind=see.kind)
    if see.head:
        if kind_of(see.head) != see.kind:
            raise refuse("see.head", "head_of", head=see.head, kind=kind_of(see.head))
        layer, head = find_head(checkpoint, see.head)
    row = find_row(run, see) if see.writes or see.reads else None
    return Place(see.kind, layer, head, row)


def _query(
    name: str, step: Step, run: Run, place: Place | None, found: Found | None
) -> dict[str, str]:
    """Write the link with a wrong column, because a page marks the column that its link names."""
    if found and found.surface == "order":  # the pages do not list snapshots
        return dict(step.query)
    query = {"checkpoint": name, "source": step.source}
    if step.target:
        query["target"] = step.target
    if run.interventions:
        query["edits"] = write_changes(Change(made) for made in run.interventions)
    if place is not None:
        query["kind"] = place.kind
        if place.layer is not None and place.head is not None:
            query |= {"layer": str(place.layer), "head": str(place.head)}
        if place.query is not None and not _asks_for_row(found):
            query |= {"query": str(place.query), "key": _neutral_key(found)}
            if place.kind != "encoder self-attention":
                query["step"] = str(place.query)
    return query | dict(step.query)


def _asks_for_row(found: Found | None) -> bool:
    return found is not None and found.surface == "row"


def _neutral_key(found: Found | None) -> str:
    """Return the first column, or the second if the first is the answer."""
    return "1" if found and found.surface == "key" and found.truth.name == "0" else "0"


def _covered(what: Cover, place: Place | None, run: Run) -> Covered:
    """Return the numbers of a hidden part."""
    cover = Covered(what)
    if place is None:
        written = range(1, len(run.target_tokens))
        return replace(cover, tokens=tuple(written)) if what in ("words", "translation") else cover
    cover = replace(cover, kind=place.kind)
    row = place.query
    first = row + 1 if row is not None and place.kind != "encoder self-attention" else 1
    match what:
        case "row":
            return replace(cover, rows=() if row is None else (row,))
        case "picture" | "thumbnails":
            return replace(cover, layer=place.layer, head=place.head)
        case "words":
            return replace(cover, tokens=tuple(range(first, len(run.target_tokens))))
        case "labels" | "translation":
            return replace(cover, tokens=tuple(range(1, len(run.target_tokens))))
        case _:
            return cover


def check_lesson(lesson: Lesson, runs: Runs) -> tuple[Fault, ...]:
    """Resolve every step and return every fault; an empty tuple for a lesson that works."""
    faults: list[Fault] = []
    for number, step in enumerate(lesson.steps, 1):
        try:
            found = list(_wrong_texts(resolve(lesson, step, runs)))
        except LessonError as error:
            found = list(error.faults)
        faults += [Fault(".".join((f"step {number}", fault.place)), fault.says) for fault in found]
    return tuple(faults)


def _wrong_texts(resolved: Resolved) -> Iterator[Fault]:
    """Yield faults for replies to words that no reader can click, or that are right."""
    if resolved.truth is None or not resolved.options:
        return
    called = {option.name: option.called for option in resolved.options}
    for word in resolved.step.wrong:
        if word == OTHER:
            continue
        if word not in called.values():
            close = nearest(word, list(called.values()))
            yield Fault(f"wrong.{word}", told("no_click", close, word=word))
        elif called.get(resolved.truth.name) == word:
            yield Fault(f"wrong.{word}", told("is_right", word=word))
