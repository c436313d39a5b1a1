"""Results for Start, computed once for all sessions."""

import math
import re
from itertools import islice

import torch

from model.decoding.greedy import score
from model.interventions.kinds import Intervention, edits_of
from model.text.normalised import TextTooLongError
from sample_data.tasks import TASKS
from viz.heads.coreference import other_readings
from viz.run.inputs import Inputs
from viz.run.payload import Payload
from viz.run.redaction import keep_tensors
from viz.run.view import View, per_view
from viz.subjects.start import facts
from viz.subjects.start.facts import meaning_of, words_of
from viz.subjects.start.wire import Scene, WireReading, WireStart, WireWithout

_DRAWN = re.compile(r"^encoder\..*\.self_attn\.|\.cross_attn\.(weights|mask)$")
"""The names of the tensors that Start draws."""
_MOST_RUN = 3
"""The number of partner sentences to run, to find one that the model translates correctly."""


def shown_views(view: View, sources: tuple[str, ...]) -> tuple[View, ...]:
    """Return the view of each sentence that can be asked about."""
    views = [view if text == view.inputs.source else _run(view, text) for text in sources]
    return tuple(one for one in views if one is view or meaning_of(one.run))


@per_view
def drawn_alone(view: View) -> Payload:
    """Return the parcel of a sentence other than the one in view, with the tensors Start draws.

    A reader who turns to that sentence gets the others. Forty readers who open Start at once would
    wait half a second longer for tensors that most of them never see.
    """
    return keep_tensors(view.parcel, lambda name: _DRAWN.search(name) is not None)


def question_data(
    view: View,
    views: tuple[View, ...],
    asked: tuple[int, int] | None = None,
    *,
    scene: Scene = "guess",
    guess: int = -1,
    word: int | None = None,
    number: int = 0,
) -> WireStart:
    """Pack the sentences, and the place of the reader.

    Args:
        view: The sentence in view.
        views: All sentences that can be asked about.
        asked: The layer and the number of the head whose effect the browser asked for.
        scene: The stage.
        guess: The position of the guessed word; -1 without a guess.
        word: The position of the word that the reader chose; None without one.
        number: The number of the last move that the browser reported.
    """
    readings = [_reading(one) for one in views]
    if asked:
        layer, head = asked
        for one, reading in zip(views, readings, strict=True):
            reading["without"] = _without(one, layer, head)
    return {
        "readings": readings,
        "current": next(at for at, one in enumerate(views) if one is view),
        "scene": scene,
        "guess": guess,
        "word": -1 if word is None else word,
        "number": number,
    }


def first_question(view: View) -> WireStart:
    """Pack the sentences for a new reader whose browser runs the model itself."""
    found = question_data(view, shown_views(view, pair_of(view)))
    for reading in found["readings"]:
        reading["inputs"] = None
    return found


def _reading(view: View) -> WireReading:
    return {**_facts(view)}  # a copy, because sessions share the facts


@per_view
def _facts(view: View) -> WireReading:
    return facts.pack_reading(view)


@per_view
def _without(view: View, layer: int, head: int) -> WireWithout:
    """Force the same text once more, with the output of a head set to zero."""
    run, model = view.run, view.model
    off = Intervention("zero", f"encoder.layers.{layer}.self_attn.heads", head=head)
    source = torch.tensor([run.source.ids], device=model.device)
    written = [one.token for one in run.steps]
    with torch.inference_mode():
        edits = run.edits.then(edits_of((off,), model))
        steps = score(model, source, written, bos_id=run.target_ids[0], edits=edits)
    chances = tuple(math.exp(step.log_probability) for step in steps)
    return {"layer": layer, "head": head, "probabilities": chances}


@per_view
def pair_of(view: View) -> tuple[str, ...]:
    """Return the sentence, and its partner whose "it" refers to the other noun if there is one.

    They are in the order of the task's examples.
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
    return view.beside(Inputs(view.inputs.checkpoint, text, "", view.inputs.device))


def _examples(view: View) -> list[tuple[str, ...]]:
    """Return the words of the task's examples."""
    tokenizers = view.run.info.tokenizers
    texts = TASKS[view.run.info.task].examples
    return [tuple(tokenizers.as_written(tokenizers.encode_source(t), t).split()) for t in texts]


def _place(view: View, text: str, examples: list[tuple[str, ...]]) -> int:
    words = words_of(_run(view, text).run)
    return examples.index(words) if words in examples else len(examples)


def _with_adjective(view: View, at: int, adjective: str) -> str | None:
    """Put another adjective into the text as typed; return None if the model does not know it."""
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
