import pytest

from sample_data.tasks import TASKS
from tests.shipped import PAPER, shipped
from viz.subjects.compare.suggestions import other_model, other_sentence

TIRED = "the animal did not cross the street because it was too tired ."
EXAMPLES = TASKS["everyday"].examples


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (PAPER, *EXAMPLES[:2]),
        (PAPER, *EXAMPLES[1::-1]),
        ("digits-paper", "sort 7 7 0 7 0", "reverse 7 7 0 7 0"),
    ],
)
def test_a_sentence_begins_beside_one_that_is_much_like_it(name: str, text: str, expected: str):
    assert other_sentence(shipped(name, text)[0]) == expected


@pytest.mark.parametrize(
    ("text", "place", "kin"),
    [
        ("The animal crosses the street.", "street", "garden park road bridge river lake field"),
        ("The cat sees the dog.", "dog", "cat animal bird chicken horse fish pet puppy"),
        ("My mother has a sister.", "sister", "mother father brother daughter son wife"),
        ("He eats an apple.", "apple", "fruit banana orange lemon"),
        ("Is it cold?", "cold", "hot long easy good big small"),
        ("I love you!", "you", "it him her them"),
    ],
)
def test_one_word_is_swapped_for_one_of_its_kind(text: str, place: str, kin: str):
    other = other_sentence(shipped(PAPER, text)[0])
    before, after = text.partition(place)[::2]
    assert other.startswith(before)
    assert other.endswith(after)
    assert other.removeprefix(before).removesuffix(after) in kin.split()


def test_another_model_is_one_of_the_same_task_if_there_is_one():
    tasks = {"digits": "digits", "a": "french", "b": "french"}
    assert other_model("a", "french", tasks) == "b"
    assert other_model("digits", "digits", tasks) == "a"
    assert other_model("digits", "digits", {"digits": "digits"}) == "digits"
