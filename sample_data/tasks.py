"""The tasks that the toy models learn, and their training and held-out pairs."""

import difflib
import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from sample_data import digits
from sample_data.knowledge import Knowledge
from sample_data.pairs import Pair, read_tsv
from texts import named, say_of

T = TypeVar("T")

_HELD_OUT_FOLDER = Path(__file__).parent / "held_out"
_HELD_OUT_COUNT = 1000
_HELD_OUT_BYTES = 13  # of 256: one source in twenty
_REPEATS_ALLOWED = 20_000


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task that one toy model learns."""

    name: str
    source_language: str
    """A name that `side` of the texts translates for the reader; so is the other one."""
    target_language: str
    examples: tuple[str, ...]
    """Example sources, the most telling first."""
    beyond: tuple[str, ...] = ()
    """Sources that it cannot translate correctly, and that reveal its limits."""
    load: Callable[[], Knowledge]
    """Loads its functions when they are first needed, because a grammar is large."""
    default_count: int
    """The number of training pairs."""
    most_repeats: int = 1
    """The largest number of copies of one pair among them, as common sentences should repeat."""
    rare_share: float = 0.0
    """The share of the training pairs that may repeat, from 0 to 1."""

    @property
    def title(self) -> str:
        """Return its title in the reader's language."""
        return say_of("task.title", self.name)

    @property
    def knowledge(self) -> Knowledge:
        """Return the functions that write and read its pairs."""
        return self.load()


def task_languages(name: str) -> tuple[str, str]:
    """Name the two sides of a task; of an unknown one, by their role."""
    task = TASKS.get(name)
    return (task.source_language, task.target_language) if task else ("Source", "Target")


def construction_title(name: str) -> str:
    """Name a construction; one that no task reports keeps its name."""
    return named("task.construction", name) or name


def _everyday() -> Knowledge:
    from sample_data.everyday.knowledge import KNOWLEDGE

    return KNOWLEDGE


_EVERYDAY = Task(
    name="everyday",
    source_language="English",
    target_language="French",
    examples=(
        "The animal didn't cross the street because it was too tired.",
        "The animal didn't cross the street because it was too wide.",
        "My little sister doesn't like the red dress.",
        "I would like a cup of tea, please.",
        "Where are my new shoes?",
        "Is there a bank near here?",
        "She gave me a book, but I lost it.",
        "He is taller than his father.",
        "I am going to buy a new bike tomorrow.",
        "Don't open that door!",
        "It's very hot in summer.",
        "There are two books on the table.",
        "This is my friend Tom.",
        "My father is a doctor.",
        "I love you!",
        "I am too tired to work.",
        "The woman who lives here is a doctor.",
        "Hello, my name is Anna.",
        "A big black dog.",
        "Zoltan bought two skateboards for his brother.",
    ),
    beyond=(
        "Attention is all you need.",
        "The trophy doesn't fit in the suitcase because it is too big.",
        "The dog gobbled the enormous sausages.",
        "I have been waiting here for you since yesterday.",
        "The man who the woman that I know saw is old.",
    ),
    load=_everyday,
    default_count=240_000,
    most_repeats=12,
    rare_share=0.4,
)
"""The model translates sentences of a beginner's book into French. Each French word has its gold
English word, so a cross-attention head can be checked word by word. The model copies nouns, names
and numbers that it never saw.
"""

_DIGITS = Task(
    name="digits",
    source_language="Command",
    target_language="Digits",
    examples=(
        "reverse 3 1 4 1 5 9",
        "sort 3 1 4 1 5 9",
        "copy 3 1 4 1 5 9",
        "reverse 1 2 3 4 5 6 7 8 9 0 1 2",
        "sort 9 8 7 6 5 4 3 2 1 0",
        "sort 7 7 0 7 0",
        "copy 2 7 1 8 2 8 1 8",
    ),
    load=lambda: digits.KNOWLEDGE,
    default_count=60_000,
)
"""The model copies, reverses or sorts 3 to 12 digits, as the command says. A cross-attention head
can be checked against the position from which each digit came.
"""

TASKS: dict[str, Task] = {task.name: task for task in (_EVERYDAY, _DIGITS)}


def source_classes(name: str) -> Mapping[str, str]:
    """Return the part of speech of a task's source words; nothing for a task without any."""
    classes = TASKS[name].knowledge.source_classes if name in TASKS else None
    return classes() if classes else {}


def source_kinds(name: str) -> Mapping[str, str]:
    """Return the kinds of a task's source words, as `Knowledge` does; nothing without any."""
    kinds = TASKS[name].knowledge.source_kinds if name in TASKS else None
    return kinds() if kinds else {}


def load_training(name: str, count: int | None = None, seed: int = 0) -> list[Pair]:
    """Return `count` training pairs, the same ones for the same seed.

    None of them is held out, whatever the number.
    """
    task = find_task(name, TASKS)
    count = task.default_count if count is None else count
    rare_pairs = task.knowledge.rare_pairs
    rare = round(count * task.rare_share) if rare_pairs else 0
    found = task.knowledge.pairs(random.Random(seed))
    found = one_side(found, _source, held_out=False, most_repeats=task.most_repeats)
    pairs = first_ones(found, count - rare, name)
    if rare_pairs:
        found = rare_pairs(random.Random(f"rare {seed}"), pairs)
        pairs += first_ones(one_side(found, _source, held_out=False), rare, name)
    return pairs


def load_held_out(name: str) -> list[Pair]:
    """Return the pairs that no training set contains."""
    return read_tsv(held_out_path(find_task(name, TASKS)))


def make_held_out(name: str, count: int = _HELD_OUT_COUNT) -> list[Pair]:
    """Generate the held-out pairs, in the order of their file, all or the first ones."""
    return list(islice(held_out_pairs(name), count))


def held_out_pairs(name: str) -> Iterator[Pair]:
    """Generate held-out pairs in the order of their file and beyond it, without end if possible."""
    task, rng = find_task(name, TASKS), random.Random("held out")
    wanted = task.knowledge.wanted_pairs
    pairs = wanted(rng, is_held_out) if wanted else task.knowledge.pairs(rng)
    return one_side(pairs, _source, held_out=True)


def held_out_path(task: Task) -> Path:
    """Return the path of the task's held-out pairs."""
    return _HELD_OUT_FOLDER / f"{task.name}.tsv"


def is_held_out(source: str) -> bool:
    """Return on which side of the split a source is; this depends only on the source."""
    return hashlib.sha256(source.encode()).digest()[0] < _HELD_OUT_BYTES


def find_task(name: str, tasks: Mapping[str, T]) -> T:
    """Return a task by its name. Raises ValueError, which names the nearest, if there is none."""
    if name in tasks:
        return tasks[name]
    near = difflib.get_close_matches(name, tasks, n=1, cutoff=0.0)
    raise ValueError(
        f"the task must be one of {', '.join(tasks)}, got {name!r}; the nearest is {near[0]!r}"
    )


def first_ones(found: Iterable[T], count: int, name: str) -> list[T]:
    """Return the first results of a task. Raises ValueError if there are fewer."""
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}")
    first = list(islice(found, count))
    if len(first) < count:
        raise ValueError(f"{name} has only {len(first)} to train on, got a count of {count}")
    return first


def one_side(
    found: Iterable[T], text: Callable[[T], str], *, held_out: bool, most_repeats: int = 1
) -> Iterator[T]:
    """Yield pairs of one side of the split, until almost none may repeat."""
    seen: Counter[str] = Counter()
    refused = 0
    for each in found:
        key = text(each)
        if seen[key] == most_repeats:
            refused += 1
            if refused == _REPEATS_ALLOWED:
                return
        elif is_held_out(key) == held_out:
            seen[key] += 1
            refused = 0
            yield each


def _source(pair: Pair) -> str:
    return pair.source
