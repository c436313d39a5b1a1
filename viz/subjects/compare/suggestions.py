"""Suggests a comparison before the reader chooses: a sentence that differs in one key word."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from sample_data.tasks import TASKS, source_classes, source_kinds
from viz.heads.text_alignment import align_texts
from viz.run.alignment import could_be_drawn, right_target
from viz.run.record import Run

_MOST_CHANGED = 2
"""The number of words in which an example may differ from a sentence compared with it."""
_WORD = re.compile(r"[\w'-]+")
_MOST_TRIED = 12
"""The number of words to try in place of one, because the grammar reads each."""
_TELLING = ("noun", "adjective", "pronoun", "verb")
"""Parts of speech, in the order in which to swap them."""


def other_sentence(run: Run) -> str:
    """Return a source similar to that of a run, with one other word if possible.

    The first that exists: an example of the task that differs in one or two words; the sentence
    with a word replaced by one of its class, so that the correct translation differs; an example;
    the sentence with its first two words swapped.
    """
    text = run.source_text
    examples = TASKS[run.info.task].examples if run.info.task in TASKS else ()
    found = next(_like(text, examples), None) or next(_swapped(run), None)
    if found:
        return found
    words = text.split()
    turned = " ".join([*words[1:2], *words[:1], *words[2:]])
    encode = run.info.tokenizers.encode_source
    rest = (each for each in examples if encode(each).tokens != run.source.tokens)
    return next(rest, turned if turned != text else f"{text} {text}")


def other_model(name: str, task: str, tasks: dict[str, str]) -> str:
    """Return another checkpoint, of the same task if there is one; the only one if it is alone.

    Args:
        name: The checkpoint in view.
        task: Its task.
        tasks: The task of each checkpoint by name, in their order.
    """
    others = [other for other in tasks if other != name]
    same = [other for other in others if tasks[other] == task]
    return next(iter(same or others), name)


def _like(text: str, examples: Sequence[str]) -> Iterator[str]:
    """Yield the examples that have as many words and differ in one or two."""
    words = text.split()
    for example in examples:
        pairs = align_texts(words, example.split())
        if any(None in pair for pair in pairs):
            continue
        other = example.split()
        changed = sum(words[i] != other[j] for i, j in pairs if i is not None and j is not None)
        if 0 < changed <= _MOST_CHANGED:
            yield example


def _swapped(run: Run) -> Iterator[str]:
    """Yield the sentence with a word replaced by one of its class, with another translation."""
    task = TASKS.get(run.info.task)
    if task is None:
        return
    text, kinds, classes = run.source_text, source_kinds(task.name), source_classes(task.name)
    known = run.info.tokenizers.source.vocabulary
    usual = [word for word in kinds if word in known] or _words(task.examples)
    own = _right(run, text)
    for part in _TELLING if kinds else ("",):
        places = [m for m in _WORD.finditer(text) if classes.get(m[0].lower(), "") == part]
        for place in reversed(places) if kinds else places:
            word = place[0].lower()
            others = (w for w in usual if w != word and kinds.get(w) == kinds.get(word))
            for other in islice(others, _MOST_TRIED):
                written = other.capitalize() if place[0][0].isupper() else other
                swapped = f"{text[: place.start()]}{written}{text[place.end() :]}"
                if could_be_drawn(run.info, swapped) and _right(run, swapped) != own:
                    yield swapped


def _right(run: Run, text: str) -> str | None:
    return right_target(run.info, text, run.info.tokenizers.encode_source(text))


def _words(texts: Sequence[str]) -> list[str]:
    return [*dict.fromkeys(word.lower() for text in texts for word in _WORD.findall(text))]
