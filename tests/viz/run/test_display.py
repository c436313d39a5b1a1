import pytest

from viz.run.display import NAMES, Display, read_display

OTHER = Display(shows="mean", lines=75, gold=True, order="Gold share")


def test_as_usual_a_link_says_nothing():
    assert read_display({}) == Display()
    assert set(Display().changed()) == set(NAMES)
    assert set(Display().changed().values()) == {None}


def test_what_a_link_says_is_read_back():
    said = OTHER.changed()
    assert said == {"shows": "mean", "lines": "75", "gold": "true", "order": "Gold share"}
    assert read_display(said) == OTHER
    assert read_display(OTHER.to_dict()) == OTHER


@pytest.mark.parametrize(
    ("asked", "name", "expected"),
    [
        ({"shows": "<script>"}, "shows", "head"),
        ({"lines": "many"}, "lines", 90),
        ({"lines": "3"}, "lines", 50),
        ({"lines": "999999"}, "lines", 100),
        ({"gold": "perhaps"}, "gold", False),
        ({"order": "x" * 999}, "order", "x" * 40),
    ],
)
def test_what_cannot_be_is_as_usual(asked, name, expected):
    assert getattr(read_display(asked), name) == expected
