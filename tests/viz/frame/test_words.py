import pytest

from model.stand_ins import StandIns
from texts import say_of
from viz.frame import words


@pytest.mark.parametrize(
    ("page", "sentence", "title"),
    [
        ("", "", "Loupe"),
        ("Masks", "", "Masks · Loupe"),
        ("Masks", "the cat\n sleeps .", "Masks · the cat sleeps . · Loupe"),
        ("Map", "a" * 50_000, f"Map · {'a' * 39}… · Loupe"),
        ("Map", f"{'a' * 38} bcd", f"Map · {'a' * 38}… · Loupe"),
    ],
)
def test_the_browsers_tab_names_page_and_sentence(page, sentence, title):
    assert words.page_title(page, sentence) == title


def test_what_is_carried_over_is_said_in_a_sentence():
    assert words.carried_over([("laptop", "a masculine noun")]) == (
        "“laptop” was not in the training data, so it is carried over as it is, "
        "as a masculine noun."
    )
    assert words.carried_over([("laptop", "a masculine noun"), ("Bo", "a name")]) == (
        "“laptop” (a masculine noun) and “Bo” (a name) were not in the training data, "
        "so they are carried over as they are."
    )
    three = [("a", "x"), ("b", "y"), ("c", "z")]
    assert words.carried_over(three).startswith("“a” (x), “b” (y) and “c” (z) were not")


def test_what_can_be_carried_over_is_counted():
    stand_ins = StandIns(nouns=("<x1>", "<x2>"), names=("<n1>",), times=("<t1>", "<t2>"))
    assert words.what_is_carried(stand_ins) == (
        "It can copy up to 2 unknown nouns, 1 name and 2 times in a text, "
        "but no verb or adjective that it does not know."
    )
    assert words.what_is_carried(StandIns()).startswith("It cannot copy a verb")


def test_what_is_unknown_is_counted():
    assert say_of("frame.unknown", "source", count=1).startswith("1 source word is unknown")
    assert say_of("frame.unknown", "target", count=3).startswith("3 target words are unknown")
    assert "similar to it was" in words.nothing_similar(1, 0, 268)
    assert "similar to them was" in words.nothing_similar(2, 0, 268)
    assert "similar to the others was" in words.nothing_similar(2, 1, 1268)
    assert "the 1,268 tokens" in words.nothing_similar(2, 1, 1268)


def test_a_model_is_said_to_be_weak_at_what_it_is_weak_at():
    said = words.model_scores(0.95, 1000, ("orders", 0.5))
    assert said == (
        "Of 1,000 texts that it never saw, it writes 95 % without a mistake; its weakest "
        "kind of sentence is “orders”: 50 %."
    )
    assert words.model_scores(0.95, 1000, None).endswith("95 % without a mistake.")
    assert words.model_scores(1.0, 30, ("orders", 1.0)).endswith("100 % without a mistake.")
