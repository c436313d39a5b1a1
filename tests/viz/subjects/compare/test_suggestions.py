import pytest

from sample_data.tasks import TASKS
from tests.shipped import PAPER, shipped
from viz.run.alignment import known_pair
from viz.subjects.compare.suggestions import other_model, other_sentence

TIRED = "the animal did not cross the street because it was too tired ."
EXAMPLES = TASKS["everyday"].examples


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (PAPER, *EXAMPLES[:2]),
        (PAPER, *EXAMPLES[1::-1]),
        ("digits-paper", "sort 7 7 0 7 0", "copy 7 7 0 7 0"),
    ],
)
def test_a_sentence_begins_beside_one_that_is_much_like_it(name: str, text: str, expected: str):
    assert other_sentence(shipped(name, text)[0]) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the small black cat does not see the red house .",
        "did the old man buy some bread ?",
        "she does not drink any cold water .",
    ],
)
def test_one_word_is_swapped_so_that_there_is_a_right_translation(text: str):
    other = other_sentence(shipped(PAPER, text)[0])
    differing = [x != y for x, y in zip(text.split(), other.split(), strict=True)]
    assert sum(differing) == 1
    assert known_pair("everyday", other)


def test_another_model_is_one_of_the_same_task_if_there_is_one():
    tasks = {"digits": "digits", "a": "french", "b": "french"}
    assert other_model("a", "french", tasks) == "b"
    assert other_model("digits", "digits", tasks) == "a"
    assert other_model("digits", "digits", {"digits": "digits"}) == "digits"
