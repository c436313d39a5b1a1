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
