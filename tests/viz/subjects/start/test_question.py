"""Start's questions, found by the browser's code, compared with a search of all float64 weights."""

from collections.abc import Iterable

import numpy as np
import pytest

from model.traces import find_tensor
from sample_data.everyday import english_classes
from sample_data.tasks import load_held_out
from tests.checkpoints import DEFAULT, SHIPPED
from tests.viz.subjects.start.asking import ask, case, typed
from viz.models import running
from viz.run.axes import all_heads
from viz.run.inputs import Inputs
from viz.run.record import Run
from viz.run.sending import is_whole
from viz.run.view import View
from viz.subjects.start import facts
from viz.subjects.start.cache import drawn_alone, pair_of, shown_views
from viz.subjects.start.facts import KIND, meaning_of

PAPER = "everyday-paper-0"
CONTENT = ("noun", "verb", "adjective")
PRONOUNS = ("it", "he", "she", "they", "him", "them")
IT = "my sister likes the dress but it is red ."


@pytest.fixture(autouse=True)
def _shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))


def view_of(text: str, target: str = "", name: str = PAPER) -> View:
    return running.open_view(Inputs(name, text, target, "cpu"))


def rows_of(views: list[View], cases: list | None = None) -> list[tuple[int, int, int]]:
    """Return the row asked about in each case, in a browser that has the model."""
    path = SHIPPED / views[0].inputs.checkpoint
    shown = [one["shown"] for one in ask(views[0], cases or map(case, views), path)]
    return [(one["layer"], one["head"], one["query"]) for one in shown]


def ranked(run: Run, rows: Iterable[int], read: Iterable[int]) -> list[tuple[int, int, int]]:
    """Return the sharpest row of each word that reads another word most, the sharpest first.

    Neighbours do not count unless every word reads a neighbour most.
    """
    weights = all_heads(run, KIND).astype(np.float64)
    for least in (2, 1):
        best: dict[int, tuple[float, int, int]] = {}
        for layer, head, query, key in np.ndindex(*weights.shape):
            row = weights[layer, head, query]
            if query in rows and key in read and abs(query - key) >= least and row[key] == max(row):
                best[query] = max(best.get(query, (0.0, 0, 0)), (row[key], -layer, -head))
        if best:
            order = sorted(best, key=lambda query: -best[query][0])
            return [(-best[query][1], -best[query][2], query) for query in order]
    return []


def expected(run: Run) -> list[tuple[int, int, int]]:
    """Return the rows that may be asked about; for content words there are several."""
    tokens = run.source.tokens
    classes = [english_classes().get(token) for token in tokens]
    nouns = [at for at, part in enumerate(classes) if part == "noun"]
    content = [at for at, part in enumerate(classes) if part in CONTENT]
    pronouns = [at for at in places(tokens, PRONOUNS) if nouns and at > nouns[0]]
    if found := ranked(run, pronouns, nouns):
        return found[:1]
    return ranked(run, content, content)[:4] or ranked(run, words(run), words(run))[:1]


def places(tokens: Iterable[str], wanted: Iterable[str]) -> list[int]:
    return [at for at, token in enumerate(tokens) if token in wanted]


def words(run: Run) -> list[int]:
    return [at for at, token in enumerate(run.source.tokens[:-1]) if token.isalnum()]


@pytest.mark.parametrize("name", [PAPER, "everyday-headlist"])
def test_the_head_is_the_one_whose_row_of_it_tells_the_nouns_apart_best_in_both_sentences(name):
    view = view_of(DEFAULT, name=name)
    views = shown_views(view, pair_of(view))
    assert len(views) == 2

    def margin(of: Run, layer: int, head: int) -> float:
        meaning = meaning_of(of)
        assert meaning is not None
        row = all_heads(of, KIND)[layer, head, meaning.it].astype(np.float64)
        return (
            row[meaning.right] - row[next(at for at in meaning.candidates if at != meaning.right)]
        )

    worst = {
        place: min(margin(one.run, *place) for one in views)
        for place in np.ndindex(*all_heads(view.run, KIND).shape[:2])
    }
    (one, other) = rows_of([view, view], [case(view, pair_of(view)), case(view)])
    assert worst[one[:2]] == max(worst.values())
    alone = {place: margin(view.run, *place) for place in worst}
    assert alone[other[:2]] == max(alone.values())
    assert (one == other) == (name == PAPER)
    assert [view.run.source.tokens[row[2]] for row in (one, other)] == ["it", "it"]


def test_a_word_that_is_chosen_is_asked_about_in_the_head_that_reads_another_most():
    view = view_of(DEFAULT)
    places = words(view.run)
    places.remove(8)  # "it"
    found = rows_of([view], [case(view, pair_of(view), word=at) for at in places])
    for at, row in zip(places, found, strict=True):
        assert [row] == (ranked(view.run, [at], words(view.run)) or [(0, 0, at)])


def test_a_word_that_is_pressed_is_asked_about_before_python_answers():
    view = view_of(DEFAULT)
    (told,) = ask(view, [case(view, pair_of(view), pressed=11)], SHIPPED / PAPER)
    shown = told["shown"]
    assert [(shown["layer"], shown["head"], shown["query"])] == ranked(
        view.run, [11], words(view.run)
    )
    assert (shown["word"], shown["scene"], shown["candidates"]) == (11, "mix", [])


def test_it_is_asked_about_where_nobody_knows_what_it_means():
    view = view_of(IT)
    assert meaning_of(view.run) is None
    ((_, _, query),) = rows = rows_of([view])
    assert view.run.source.tokens[query] == "it"
    assert rows == expected(view.run)


@pytest.mark.slow
def test_else_a_content_word_is_asked_about_that_reads_another():
    views = [view_of(pair.source) for pair in load_held_out("everyday")[:12]]
    for view, row in zip(views, rows_of(views), strict=True):
        assert row in expected(view.run), view.inputs.source


def test_without_classes_any_word_is_asked_about():
    texts = ["reverse 3 1 4 1 5 9", "copy 7 0 7"]
    views = [view_of(text, name="digits-paper") for text in texts]
    for view, row in zip(views, rows_of(views), strict=True):
        assert [row] == expected(view.run)


def test_of_weights_that_are_sent_reduced_python_finds_the_strongest_keys(monkeypatch):
    monkeypatch.setattr("viz.run.tensor_parcel.MOST_NUMBERS", 0)
    monkeypatch.setattr("viz.run.codes.MOST_CODES", 24 * 25)
    monkeypatch.setattr(facts, "model_of", lambda _view: None)
    view = view_of("our old dog sees a very large house .")
    assert not is_whole(view.parcel, KIND)
    asked = [None, *words(view.run)]
    told = ask(view, [case(view, word=at) for at in asked], None)
    found = [(one["wanted"][0]["layer"], one["wanted"][0]["head"]) for one in told]
    rows = [ranked(view.run, [at], words(view.run)) or [(0, 0, at)] for at in words(view.run)]
    assert found == [row[:2] for row, *_ in (expected(view.run), *rows)]
    assert len({*found}) > 3


def test_a_typed_sentence_is_asked_as_one_whose_meaning_nobody_knows():
    view = view_of("the cat sleeps .")
    texts = [IT, "my sister works in a hospital .", DEFAULT]
    found = rows_of([view], [case(view, typed=typed(text)) for text in texts])
    for text, row in zip(texts, found, strict=True):
        assert row in expected(view_of(text).run), text


def test_a_word_that_was_chosen_stays_asked_about_while_others_are_typed():
    view = view_of(IT)
    ((_, _, query),) = rows_of([view], [case(view, typed=typed("the old dog sleeps .", word=2))])
    assert query == 2


@pytest.mark.parametrize("text", ["cat", ".", "? !", "the cat sleeps . " * 8])
def test_short_and_long_sentences_have_a_question(text):
    view = view_of(text)
    ((layer, head, query),) = rows_of([view])
    assert all_heads(view.run, KIND)[layer, head, query].shape == (len(view.run.source.ids),)


def test_the_other_sentence_is_sent_with_the_tensors_that_are_drawn_alone():
    view = view_of("The animal didn't cross the street because it was too tired.")
    [other] = [one for one in shown_views(view, pair_of(view)) if one is not view]
    sent, whole = drawn_alone(other).data, other.parcel.data
    parts = ("input", "query", "key", "value", "scores", "mask", "weights", "heads", "output")
    read = {f"encoder.layers.{n}.self_attn.{part}" for n in (0, 1) for part in parts}
    crossed = {f"decoder.layers.{n}.cross_attn.{part}" for n in (0, 1) for part in parts[5:7]}
    arrays = sent["meta"]["tensors"]["arrays"]
    assert arrays.keys() == (read | crossed) & whole["meta"]["tensors"]["arrays"].keys()
    assert arrays.keys() >= crossed | {name for name in read if name.endswith(("query", "weights"))}
    numbers = sent["numbers"]["number"].to_numpy()
    for name, array in arrays.items():
        there = find_tensor(other.run.trace, name).numpy().astype("<f4").ravel()
        assert (numbers[array["at"] :][: there.size] == there).all(), name
    rest = {key: value for key, value in sent["meta"].items() if key != "tensors"}
    assert rest == {key: value for key, value in whole["meta"].items() if key != "tensors"}
