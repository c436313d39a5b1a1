import pytest

from viz.run.text_diff import rewording, swaps


def told(before: str, after: str) -> str:
    signs = {"same": "", "new": "+", "gone": "-"}
    return " ".join(f"{signs[fate]}[{text}]" for fate, text in rewording(before, after))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("le chat dort", "le chat dort", "[le chat dort]"),
        ("parce qu'il dort", "parce qu'elle dort", "[parce] -[qu'il] +[qu'elle] [dort]"),
        ("il ne dort pas", "il ne dort", "[il ne dort] -[pas]"),
        ("il dort", "il dort bien", "[il dort] +[bien]"),
        ("le chat dort", "un chien court vite", "+[un chien court vite]"),
        ("", "rien", "+[rien]"),
        ("le chat", "", "-[le chat]"),
    ],
)
def test_words_that_stay_come_and_go_are_told_apart(before, after, said):
    assert told(before, after) == said


def test_what_took_the_place_of_what():
    assert swaps("parce qu'il dort", "parce qu'elle dort") == (("qu'il", "qu'elle"),)
    assert swaps("il ne dort pas", "il dort bien") == (("ne", ""), ("pas", "bien"))
    assert swaps("il dort", "il dort") == ()
