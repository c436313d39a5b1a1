"""What Start shows, and what it keeps in its link, tested without a browser."""

import pytest

from tests.checkpoints import DEFAULT, VARIANTS
from tests.pages import ok, open_page, sent, texts
from viz.models import running
from viz.run.inputs import Inputs
from viz.subjects.start import actions
from viz.subjects.start.cache import pair_of, question_data, shown_views
from viz.subjects.start.sections.tour import STOPS, lit_blocks
from viz.subjects.start.words import Facts, stops

SHIPPED = "everyday-paper-0"


@pytest.fixture
def _tiny(tiny_checkpoints):
    return tiny_checkpoints


def sent_start(page):
    (start,) = sent(page, "start")
    return start


def view_of(source: str, target: str = "", checkpoint: str = SHIPPED):
    return running.open_view(Inputs(checkpoint, source, target, "cpu"))


def readings_of(view):
    return question_data(view, shown_views(view, pair_of(view)))["readings"]


def test_the_two_readings_are_one_sentence_but_for_an_adjective_and_its_pronoun():
    view = view_of(DEFAULT)
    pair = pair_of(view)
    assert len(pair) == 2
    assert pair[0] == DEFAULT
    tired, wide = readings_of(view)
    meanings = tired["meaning"], wide["meaning"]
    assert [one["pronoun"] for one in meanings] == ["il", "elle"]
    assert {one["right"] for one in meanings} == {*meanings[0]["candidates"]}
    tokens = [view_of(one["source"]).run.source.tokens for one in (tired, wide)]
    differ = [a != b for a, b in zip(*tokens, strict=True)]
    assert differ.index(True) == meanings[0]["adjective"]
    assert differ.count(True) == 1
    assert [one[meanings[0]["it"]] for one in tokens] == ["it", "it"]


def test_an_own_sentence_keeps_what_was_typed_but_for_the_adjective():
    typed = "The dog didn't   eat the meat because it was too tired!"
    pair = pair_of(view_of(typed))
    for text in pair:
        assert text.startswith("The dog didn't   eat the")


@pytest.mark.parametrize("source", ["the dog sleeps .", "Where are my new shoes?", "gloop", "."])
def test_where_nothing_turns_it_round_there_is_one_reading(source):
    assert pair_of(view_of(source)) == (source,)


def test_a_given_target_is_nobodys_reading_but_its_own():
    view = view_of(DEFAULT, target="l' animal dort .")
    assert pair_of(view) == (DEFAULT,)
    assert [one["source"] for one in readings_of(view)] == [DEFAULT]


def test_the_classes_of_the_words_are_sent_with_what_the_run_was_made_of():
    view = view_of("the old dog sleeps .")
    (reading,) = readings_of(view)
    assert reading["classes"][1:4] == ["adjective", "noun", "verb"]
    assert reading["inputs"]["source"] == view.run.source.ids
    assert (reading["meaning"], reading["strongest"], reading["without"]) == (None, None, None)


def test_a_head_that_was_asked_for_is_taken_from_this_run_alone(monkeypatch):
    view, state = view_of(DEFAULT), {}
    monkeypatch.setattr(actions.st, "session_state", state)
    for run, layer, head, taken in (
        (view.parcel.key, 1, 3, (1, 3)),
        ("another", 1, 3, None),
        (view.parcel.key, 1, 4, None),
        (view.parcel.key, -1, 0, None),
        (view.parcel.key, 2, 0, None),
    ):
        state["start_sentence"] = {"head": {"run": run, "layer": layer, "head": head}}
        actions.take_head()
        assert actions.head_asked(view) == taken


def test_the_row_in_view_is_that_of_the_last_move_in_the_sentence(monkeypatch):
    view, state = view_of(DEFAULT), {}
    monkeypatch.setattr(actions.st, "session_state", state)
    assert actions.row_of(view) is None
    for query, source, row in ((8, DEFAULT, (1, 3, 8)), (99, DEFAULT, None), (8, "else", None)):
        place = {"layer": 1, "head": 3, "query": query, "source": source}
        state[actions._ROW] = place
        assert actions.row_of(view) == row


@pytest.mark.usefixtures("_tiny")
def test_begins_with_the_question_and_an_empty_link():
    page = open_page("start")
    (start,) = sent(page, "start")
    assert (start["scene"], start["guess"]) == ("guess", -1)
    assert "<h1" in texts(page)
    assert not page.query_params


@pytest.mark.usefixtures("_tiny")
@pytest.mark.parametrize(("guess", "taken"), [("1", 1), ("99", -1), ("²", -1), ("1" * 5000, -1)])
def test_a_link_opens_its_stage_and_a_guess_that_the_sentence_has(guess, taken):
    (start,) = sent(open_page("start", scene="mix", guess=guess), "start")
    assert (start["scene"], start["guess"]) == ("mix", taken)


@pytest.mark.slow
@pytest.mark.usefixtures("_tiny")
def test_a_link_asks_about_its_word_and_about_none_that_is_no_word():
    for word, taken in (("1", 1), ("8", 8), ("13", -1), ("99", -1), ("x", -1)):
        assert sent_start(open_page("start", scene="mix", word=word))["word"] == taken


@pytest.mark.usefixtures("_tiny")
@pytest.mark.parametrize("scene", ["", "<script>"])
def test_an_unknown_stage_is_the_first_and_the_link_says_so(scene):
    page = ok(open_page("start", scene=scene).run())
    assert sent(page, "start")[0]["scene"] == "guess"
    assert page.query_params["scene"] in ("guess", ["guess"])


@pytest.mark.usefixtures("_tiny")
def test_the_tour_goes_on_back_and_away():
    page = open_page("start", scene="guess", tour="1")
    assert f"Stop 1 of {STOPS}" in texts(page)
    assert not sent(page, "start")
    ok(page.button(key="tour_next").click().run())
    assert f"Stop 2 of {STOPS}" in texts(page)
    assert page.query_params["tour"] in ("2", ["2"])
    ok(page.button(key="tour_back").click().run())
    assert f"Stop 1 of {STOPS}" in texts(page)
    ok(page.button(key="tour_skip").click().run())
    assert "tour" not in page.query_params
    assert sent(page, "start")
    ok(page.button(key="door_tour").click().run())
    assert f"Stop 1 of {STOPS}" in texts(page)


@pytest.mark.usefixtures("_tiny")
@pytest.mark.parametrize(("asks", "shows"), [("0", 1), ("99", STOPS), ("-3", None), ("x", None)])
def test_a_stop_that_is_not_there_is_the_nearest_or_none(asks, shows):
    page = open_page("start", scene="guess", tour=asks)
    assert (f"Stop {shows} of {STOPS}" in texts(page)) == (shows is not None)
    assert bool(sent(page, "start")) == (shows is None)


def test_every_stop_lights_blocks_of_every_variant():
    names = ("everyday-paper-0", VARIANTS["prenorm"], "digits-paper")
    for name in names:
        view = view_of(DEFAULT if "everyday" in name else "reverse 3 1 4", checkpoint=name)
        facts = Facts(("a",), ("A", "B"), 1, 1, (1, 1), 1, 1, True, None)
        lit = [lit_blocks(view, stop) for stop in stops(facts)]
        assert len(lit) == STOPS
        assert all(lit)
        assert len({block for blocks in lit for block in blocks}) == sum(map(len, lit))


def test_the_readings_are_a_pair_from_either_side():
    other = next(text for text in pair_of(view_of(DEFAULT)) if text != DEFAULT)
    assert set(pair_of(view_of(other))) == {DEFAULT, other}
