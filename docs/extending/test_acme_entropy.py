"""The page has its title and its numbers, and its button changes the run."""

import torch
from acme_entropy import entropies

from loupe.plugins import preview


def test_entropy_of_known_rows() -> None:
    even, sharp = torch.full((4,), 0.25), torch.tensor([1.0, 0.0, 0.0, 0.0])
    weights = torch.stack([torch.stack([sharp, sharp]), torch.stack([even, sharp])])[None]
    assert entropies({"a.weights": weights}) == {("a", 1): 1.0, ("a", 0): 0.0}


def test_the_page_shows_every_head_and_switches_one_off() -> None:
    app = preview("acme-entropy", "everyday-paper-0", "the cat sleeps .")
    assert not app.exception
    [table] = app.dataframe
    assert len(table.value) == 24  # 2 layers, 3 attentions of 4 heads
    assert table.value["bits"].is_monotonic_decreasing
    app.button(key="acme-off").click().run()
    assert "zero!" in str(app.query_params["edits"])  # the change is in the link


def test_a_link_holds_the_slider() -> None:
    app = preview("acme-entropy", "everyday-paper-0", "the cat sleeps .")
    app.slider(key="acme-least").set_value(1.0).run()
    assert "1" in app.query_params["acme-least"]
    assert app.dataframe[0].value["bits"].min() >= 1.0
