"""The page's answer names its head by kind, layer and number."""

from types import SimpleNamespace

from viz.subjects.training.words import answer


def snapshot(step: int, written: str, heads: dict[tuple[int, int], float]) -> SimpleNamespace:
    scores = SimpleNamespace(exact_match=0.0, heads=heads)
    return SimpleNamespace(step=step, written=written, scores=scores)


def test_the_head_that_came_to_find_most_is_named_by_its_place():
    first = snapshot(0, "de " * 30, {(0, 0): 0.5, (1, 0): 0.142})
    last = snapshot(2500, "<b>", {(0, 0): 0.6, (1, 0): 0.826})
    said = answer(SimpleNamespace(snapshots=(first, last)), "everyday")
    assert "<b>" not in said
    assert said.striptags() == (
        "Trained on “Everyday English to French”, a model first writes "
        f"{'de ' * 7}de…; after 2,500 corrections, <b>. "
        "Nobody told head 0 of the cross-attention in layer 1 where to look: it finds the right "
        "token 14% of the time at first, 83% at the end."
    )
