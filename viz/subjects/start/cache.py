"""What Start shows of a run, worked out once for all sessions."""

from functools import partial
from itertools import islice
from typing import NamedTuple

from model.text.normalised import TextTooLongError
from sample_data.tasks import TASKS
from viz.heads.coreference import other_readings
from viz.models import session
from viz.run.inputs import Inputs
from viz.run.view import View, per_view
from viz.subjects.start.effect import lost_without, probability_without
from viz.subjects.start.packing import answer_step, pack_reading
from viz.subjects.start.question import Question, ask, meaning_of, words_of
from viz.subjects.start.wire import Scene, WireReading, WireStart

_MOST_RUN = 3
"""Other readings that are run to find one that the model gets right."""


class Asked(NamedTuple):
    """A question, and the sentences that it is asked of."""

    question: Question
    candidates: tuple[int, ...]
    sources: tuple[str, ...]
    readings: tuple[WireReading, ...]


@per_view
def asked(view: View, sources: tuple[str, ...], word: int | None) -> Asked:
    """Ask about a word of a sentence, and of the other one where `sources` has two."""
    views = [view if text == view.inputs.source else _run(view, text) for text in sources]
    runs = [one.run for one in views if one is view or meaning_of(one.run)]
    own = runs.index(view.run)
    other = runs[1 - own] if len(runs) == 2 else None
    question = ask(view.run, other, word, partial(lost_without, view.run, view.model))
    readings = tuple(_reading(one, question) for one in views if one.run in runs)
    candidates = question.meaning.candidates if question.meaning else ()
    return Asked(question, candidates, tuple(reading["source"] for reading in readings), readings)


def question_data(
    view: View,
    found: Asked,
    *,
    scene: Scene = "guess",
    guess: int = -1,
    word: int | None = None,
    number: int = 0,
) -> WireStart:
    """Pack a question, and where the reader is."""
    question, config = found.question, view.run.info.config
    return {
        "layer": question.layer,
        "head": question.head,
        "query": question.query,
        "sizes": (config.d_k, config.d_v),
        "candidates": found.candidates,
        "readings": list(found.readings),
        "current": found.sources.index(view.inputs.source),
        "languages": view.parcel.languages,
        "scene": scene,
        "guess": guess,
        "word": -1 if word is None else word,
        "number": number,
    }


def first_question(view: View) -> WireStart:
    """Ask what is asked of a sentence before a reader has done anything."""
    return question_data(view, asked(view, pair_of(view), None))


@per_view
def pair_of(view: View) -> tuple[str, ...]:
    """Return the sentence, and with it one whose "it" means the other noun, where there is one.

    The one of the task's examples that comes first stands first.
    """
    run = view.run
    meaning = None if run.given else meaning_of(run)
    if meaning is None:
        return (view.inputs.source,)
    known = _examples(view)
    adjectives = other_readings(run.info.task, words_of(run), meaning, known)
    texts = (_with_adjective(view, meaning.adjective, adjective) for adjective in adjectives)
    others = [*islice((text for text in texts if text), _MOST_RUN)]
    if not others:
        return (view.inputs.source,)
    other = next((text for text in others if _is_right(_run(view, text))), others[0])
    pair = (view.inputs.source, other)
    return tuple(sorted(pair, key=lambda text: _place(view, text, known)))


def _run(view: View, text: str) -> View:
    return session.open_view(Inputs(view.inputs.checkpoint, text, "", view.inputs.device))


def _reading(view: View, question: Question) -> WireReading:
    step = answer_step(view.run, question)
    without = None if step is None else probability_without(view.run, view.model, question, step)
    return pack_reading(view.run, question, without)


def _examples(view: View) -> list[tuple[str, ...]]:
    """Return the words of the task's examples."""
    tokenizers = view.run.info.tokenizers
    texts = TASKS[view.run.info.task].examples
    return [tuple(tokenizers.as_written(tokenizers.encode_source(t), t).split()) for t in texts]


def _place(view: View, text: str, examples: list[tuple[str, ...]]) -> int:
    words = words_of(_run(view, text).run)
    return examples.index(words) if words in examples else len(examples)


def _with_adjective(view: View, at: int, adjective: str) -> str | None:
    """Put another adjective into the text as typed; None where the model does not know it."""
    span = view.run.source.spans[at]
    if span is None:
        return None
    typed = view.inputs.source
    text = f"{typed[: span[0]]}{adjective}{typed[span[1] :]}"
    try:
        encoding = view.run.info.tokenizers.encode_source(text)
    except TextTooLongError:
        return None
    return None if encoding.unknown or encoding.copied else text


def _is_right(view: View) -> bool:
    meaning = meaning_of(view.run)
    return meaning is not None and meaning.pronoun in view.run.target_tokens
