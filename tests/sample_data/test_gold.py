import random
from itertools import islice

import pytest

from sample_data import digits
from sample_data.gold import find_gold, makes_sense
from sample_data.pairs import Pair
from sample_data.tasks import TASKS, load_held_out

# Each example's target, and the source positions of each of its words, worked out by hand.
EXAMPLES = {
    "reverse 3 1 4 1 5 9": ("9 5 1 4 1 3", "6 5 4 3 2 1"),
    "sort 3 1 4 1 5 9": ("1 1 3 4 5 9", "2 4 1 3 5 6"),
    "copy 3 1 4 1 5 9": ("3 1 4 1 5 9", "1 2 3 4 5 6"),
    "reverse 1 2 3 4 5 6 7 8 9 0 1 2": (
        "2 1 0 9 8 7 6 5 4 3 2 1",
        "12 11 10 9 8 7 6 5 4 3 2 1",
    ),
    "sort 9 8 7 6 5 4 3 2 1 0": ("0 1 2 3 4 5 6 7 8 9", "10 9 8 7 6 5 4 3 2 1"),
    "sort 7 7 0 7 0": ("0 0 7 7 7", "3 5 1 2 4"),
    "copy 2 7 1 8 2 8 1 8": ("2 7 1 8 2 8 1 8", "1 2 3 4 5 6 7 8"),
}


def links(by_target: str) -> set[tuple[int, int]]:
    """Read "0+1 2 - 3 =": "-" has no source, "=" has the same source as the unit before."""
    found, sources = set(), ""
    for target, text in enumerate(by_target.split()):
        sources = sources if text == "=" else text
        if sources != "-":
            found |= {(int(source), target) for source in sources.split("+")}
    return found


@pytest.mark.parametrize(
    ("task", "source"),
    [
        (task.name, text)
        for task in TASKS.values()
        for text in task.examples
        if task.name != "everyday"  # typed text, which a tokenizer reads first
    ],
)
def test_every_example_has_the_gold_that_was_worked_out_by_hand(task, source):
    target, by_target = EXAMPLES[source]
    assert find_gold(task, source) == Pair(source, target, frozenset(links(by_target)))


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_knows_all_that_was_held_out(task):
    for pair in load_held_out(task)[:250]:
        assert find_gold(task, pair.source) == pair


@pytest.mark.slow
def test_knows_the_digits_that_are_generated():
    for pair in islice(digits.random_pairs(random.Random(11)), 1000):
        assert find_gold("digits", pair.source) == pair


@pytest.mark.parametrize(
    ("task", "source"),
    [
        ("everyday", "the cat sleep ."),
        ("everyday", "the cat eats a apple ."),
        ("everyday", "the unicorn sleeps ."),
        ("everyday", "does the cat sleep ."),
        ("everyday", "the cat that the dog"),
        ("digits", "reverse"),
        ("digits", "turn 1 2 3"),
        ("digits", "copy 12 3"),
        ("digits", "copy ² 3"),
        ("a file of one's own", "the cat sleeps ."),
        *((task, text) for task in TASKS for text in ("", " . ")),
    ],
)
def test_what_the_sample_data_do_not_know(task, source):
    assert find_gold(task, source) is None


def test_typing_does_not_matter_and_words_need_not_go_together():
    for task, typed, target in (
        ("everyday", " The Cat\tsleeps. ", "le chat dort ."),
        ("everyday", "the table eats an old king", "la table mange un vieux roi"),
        ("digits", "  Reverse 1  2 ", "2 1"),
        ("everyday", "the <x1> is not broken !", "le <x1> n' est pas cassé !"),
    ):
        assert find_gold(task, typed).target == target


@pytest.mark.parametrize(
    ("task", "source", "sense"),
    [
        ("everyday", "The man eats an apple.", True),
        ("everyday", "The table eats an apple.", False),
        ("everyday", "The man eat an apple.", False),
        ("digits", "sort 2 1", True),
        ("digits", "turn 2 1", False),
    ],
)
def test_what_is_right_may_still_make_no_sense(task, source, sense):
    assert makes_sense(task, source) == sense
