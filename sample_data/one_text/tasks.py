"""The tasks of models that read one text: their training texts and held-out texts."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from sample_data.one_text import agreement, brackets, induction
from sample_data.one_text.text import Text
from sample_data.tasks import TASKS, Task, find_task, first_ones, one_side
from texts import say_of

Reads = Literal["before", "around"]
"""The context of a prediction: earlier words, or all others while the word is masked."""

_FOLDER = Path(__file__).parents[1] / "held_out"
_HELD_OUT_COUNT = 500


@dataclass(frozen=True, kw_only=True)
class TextTask:
    """A task that one toy model of one text learns."""

    name: str
    units: Literal["word", "character"]
    """The unit of positions in a text."""
    reads: Reads
    ends: bool
    """Whether a text has an end that is learned, rather than being cut off."""
    words: tuple[str, ...]
    """All units of its texts."""
    examples: tuple[str, ...]
    """Example texts, the most telling first."""
    beyond: tuple[str, ...] = ()
    """Texts that it cannot continue correctly, and that reveal its limits."""
    texts: Callable[[random.Random], Iterable[Text]]
    """Yields random texts without end."""
    read: Callable[[str], Text | None]
    """Finds the gold of a typed text; None if it does not belong to the task."""
    choices: tuple[tuple[frozenset[str], ...], ...] = ()
    """Sets of words between which a predictable word decides; a word in none of them must itself be
    the most probable of all."""
    default_count: int
    """The number of training texts."""

    @property
    def title(self) -> str:
        """Return its title in the reader's language."""
        return say_of("task.title", self.name)

    def split(self, text: str) -> list[str]:
        """Split a text of the task into its units."""
        return text.split() if self.units == "word" else list(text)

    def choice(self, word: str) -> tuple[frozenset[str], tuple[frozenset[str], ...]] | None:
        """Return the set with a predictable word, and all sets that it decides between."""
        for sets in self.choices:
            for one in sets:
                if word in one:
                    return one, sets
        return None


_INDUCTION = TextTask(
    name="induction",
    units="word",
    reads="before",
    ends=False,
    words=induction.WORDS,
    examples=(
        "river lamp horse bread moon star river lamp horse",
        "apple key window garden fish coat drum apple key window garden",
        "star river boat lemon glass road star river boat lemon glass road star river",
        "moon ship moon",
        "bell corn leaf hat ring salt nest door bell corn",
        "salt castle salt castle salt",
        "letter pencil table lamp book chair letter pencil table lamp",
    ),
    texts=induction.random_texts,
    read=induction.read,
    default_count=20_000,
)
"""Random words repeat after a period that differs from row to row. The previous occurrence of the
current word predicts the next one, so a head can be checked against the word that followed there.
"""

_BRACKETS = TextTask(
    name="brackets",
    units="character",
    reads="before",
    ends=True,
    words=(*brackets.PAIRS, *brackets.PAIRS.values()),
    examples=(
        "([{}])",
        "{[()()]}",
        "([{}{}]",
        "[(){}{}](){",
        "{{{[[((",
        "(((([[]]{}",
        "({}[]())[{()}]",
    ),
    texts=brackets.random_texts,
    read=brackets.read,
    choices=(tuple(frozenset({close}) for close in brackets.PAIRS.values()),),
    default_count=20_000,
)
"""Brackets of three kinds, nested up to eight deep. The innermost open one decides which one closes
next, so a head can be checked against the opening bracket.
"""

_AGREEMENT = TextTask(
    name="agreement",
    units="word",
    reads="around",
    ends=True,
    words=agreement.WORDS,
    examples=(
        "the kings near the dog <mask> old .",
        "the king near the dogs <mask> old .",
        "the girl that the boys see <mask> .",
        "the girls that the boy sees <mask> .",
        "the queen likes <mask> .",
        "the old man behind the women finds <mask> .",
        "the bird with the cats follows <mask> today .",
    ),
    texts=agreement.random_texts,
    read=agreement.read,
    choices=(agreement.VERBS, tuple(frozenset({word}) for word in agreement.REFLEXIVES)),
    default_count=20_000,
)
"""An English sentence with a masked word to predict from the others. The verb agrees with its
subject across any noun between them, so a head can be checked against the subject.
"""

TEXT_TASKS: dict[str, TextTask] = {task.name: task for task in (_INDUCTION, _BRACKETS, _AGREEMENT)}


def any_task(name: str) -> Task | TextTask | None:
    """Return a task of pairs or of single texts by its name; None if there is none."""
    return TASKS.get(name) or TEXT_TASKS.get(name)


def task_title(name: str) -> str:
    """Return the title of a task; a text of your own has only its name."""
    found = any_task(name)
    return found.title if found else name


def load_texts(name: str, count: int | None = None, seed: int = 0) -> list[Text]:
    """Return `count` training texts, the same ones for the same seed; none of them is held out."""
    task = find_text_task(name)
    count = task.default_count if count is None else count
    texts = one_side(task.texts(random.Random(seed)), _text, held_out=False)
    return first_ones(texts, count, name)


def load_held_out_texts(name: str) -> list[Text]:
    """Return the texts that no training set contains, with their gold."""
    task = find_text_task(name)
    path = held_out_texts_path(task)
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [task.read(line) for line in lines]
    for number, (text, line) in enumerate(zip(found, lines, strict=True), 1):
        if text is None:
            raise ValueError(f"{path}, line {number}: {line!r} is not a text of {name}")
    return [text for text in found if text]


def make_held_out_texts(name: str, count: int = _HELD_OUT_COUNT) -> list[Text]:
    """Generate the held-out texts, in the order of their file, all or the first ones."""
    texts = find_text_task(name).texts(random.Random("held out"))
    return list(islice(one_side(texts, _text, held_out=True), count))


def held_out_texts_path(task: TextTask) -> Path:
    """Return the path of the task's held-out texts, one on each line."""
    return _FOLDER / f"{task.name}.txt"


def find_text_task(name: str) -> TextTask:
    """Return a task by its name. Raises ValueError if there is none of this name."""
    return find_task(name, TEXT_TASKS)


def _text(text: Text) -> str:
    return text.text
