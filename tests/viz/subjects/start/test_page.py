"""What Start shows and keeps in its link, without a browser."""

import pytest
from viz.subjects.start.question import KIND, ask

from tests.checkpoints import DEFAULT, VARIANTS
from tests.pages import ok, open_page, sent, texts
from viz.run import session
from viz.run.record import all_heads
from viz.run.view import Inputs
from viz.subjects.start.cache import asked, pair_of
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
    return session.open_view(Inputs(checkpoint, source, target, "cpu"))


def test_the_two_readings_are_one_sentence_but_for_an_adjective_and_its_pronoun():
    view = view_of(DEFAULT)
    pair = pair_of(view)
    assert len(pair) == 2
    assert pair[0] == DEFAULT
    found = asked(view, pair, None)
    tired, wide = found.readings
    assert [one["tokens"][found.question.query] for one in found.readings] == ["it", "it"]
    differ = [a != b for a, b in zip(tired["tokens"], wide["tokens"], strict=True)]
    assert differ.count(True) == 1
    assert (tired["label"], tired["gender"], wide["gender"]) == ("tired", "m", "f")
    assert {tired["right"], wide["right"]} == set(found.candidates)


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
    assert [one["given"] for one in asked(view, pair_of(view), None).readings] == [True]


def test_a_word_that_is_chosen_is_asked_about_in_both_readings():
    view = view_of(DEFAULT)
    found = asked(view, pair_of(view), 1)
    assert found.question.query == 1
    assert found.candidates == ()
    assert len(found.readings) == 2
    it = asked(view, pair_of(view), 8)
    assert it == asked(view, pair_of(view), None)


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
    assert sent_start(open_page("start", scene="mix", word="1"))["query"] == 1
    for word in ("8", "13", "99", "x"):
        assert sent_start(open_page("start", scene="mix", word=word))["query"] == 8


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


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("my brother lost his phone under the bed .", {"lost", "phone", "bed", "brother"}),
        ("my mother works in a hospital .", {"mother", "works", "hospital"}),
        ("i have too much homework tonight .", {"have", "homework"}),
    ],
)
def test_nobody_is_asked_where_a_little_word_looks(text, about):
    view = view_of(text, checkpoint="everyday-paper-0")
    question = asked(view, pair_of(view), None).question
    row = all_heads(view.run, KIND)[question.layer, question.head, question.query]
    tokens = view.run.source.tokens
    assert tokens[question.query] in about
    assert tokens[int(row.argmax())] in about


def test_of_the_words_that_read_another_the_one_whose_head_matters_is_asked_about():
    run = view_of(
        "the old woman bought a red car for a friend .", checkpoint="everyday-paper-0"
    ).run
    plain = ask(run)
    other = ask(run, matters=lambda *head: float(head != (plain.layer, plain.head)))
    assert (other.layer, other.head) != (plain.layer, plain.head)


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
