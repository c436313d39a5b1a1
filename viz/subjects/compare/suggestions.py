"""What to compare a run with before anybody chose: a sentence that differs in one telling word."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from sample_data.tasks import TASKS
from viz.run.alignment import known_pair
from viz.run.record import Run
from viz.run.text_alignment import align_texts

_MOST_CHANGED = 2
"""Words in which an example may differ from a sentence to be compared with it."""
_WORD = re.compile(r"[\w'-]+")
_MOST_TRIED = 12
"""Words that are tried in the place of one: each is translated by the grammar."""
_TELLING = ("noun", "adjective", "verb")
"""Parts of speech, the first to be swapped first."""


def other_sentence(run: Run) -> str:
    """Return a source that is much like that of a run: with one word another, where there is one.

    The first that applies: an example of the task that differs in a word or two; the sentence with
    a word swapped for one of its part of speech, so that there is a right translation; an example;
    the first two words the other way round.
    """
    text = run.source_text
    examples = TASKS[run.info.task].examples if run.info.task in TASKS else ()
    found = next(_like(text, examples), None) or next(_swapped(run), None)
    if found:
        return found
    words = text.split()
    turned = " ".join([*words[1:2], *words[:1], *words[2:]])
    rest = (example for example in examples if example != text)
    return next(rest, turned if turned != text else f"{text} {text}")


def other_model(name: str, task: str, tasks: dict[str, str]) -> str:
    """Return another checkpoint, of the same task where there is one; the same where it is alone.

    Args:
        name: The checkpoint in view.
        task: Its task.
        tasks: Of each checkpoint by name, in their order.
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
    """Yield the sentence with a word swapped for another that leaves it one of the task's."""
    task = TASKS.get(run.info.task)
    if task is None:
        return
    text = run.source_text
    classes = task.source_classes() if task.source_classes else {}
    known = run.info.tokenizers.source.vocabulary
    seen = dict.fromkeys(word for example in task.examples for word in _words(example))
    usual = [word for word in seen if word in known or not classes]
    for part in _TELLING if classes else ("",):
        others = [word for word in usual if classes.get(word, "") == part]
        places = [m for m in _WORD.finditer(text) if classes.get(m[0].lower(), "") == part]
        for place in reversed(places) if classes else places:
            for other in islice(_behind(place[0].lower(), others), _MOST_TRIED):
                swapped = f"{text[: place.start()]}{other}{text[place.end() :]}"
                if known_pair(run.info.task, swapped):
                    yield swapped


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _behind(word: str, others: list[str]) -> list[str]:
    """Return the others in their order, those that stand behind a word first."""
    place = others.index(word) + 1 if word in others else 0
    return [other for other in others[place:] + others[:place] if other != word]
