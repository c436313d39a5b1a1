import pytest

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


def test_what_is_unknown_is_counted():
    assert words.unknown_words("source", 1).startswith("1 source word is unknown")
    assert words.unknown_words("target", 3).startswith("3 target words are unknown")
    assert "similar to it was" in words.nothing_similar(1, 0, 268)
    assert "similar to them was" in words.nothing_similar(2, 0, 268)
    assert "similar to the others was" in words.nothing_similar(2, 1, 1268)
    assert "the 1,268 tokens" in words.nothing_similar(2, 1, 1268)
