"""The fuzzing itself: a slice of each area, and faulty readers, all of which it must report."""

import ast
import os
import re
import shlex
import signal
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from qa.fuzz import running
from qa.fuzz.__main__ import main
from qa.fuzz.area import AREAS, HeldError, open_area
from qa.fuzz.areas import links
from qa.fuzz.damage import damaged, edited, paths_in
from qa.fuzz.outgoing import check_html, check_markdown, check_message
from qa.fuzz.running import Tally, check_one, examine, examine_apart
from tests.qa.fuzz import planted as faults
from tests.qa.fuzz.planted import planted

pytestmark = [
    # Hypothesis checks whether a strategy uses `random`. With shape checks on, a test left over
    # in another thread does, and the representation in the warning is long.
    pytest.mark.filterwarnings("ignore:Do not use the `random` module"),
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),
]
IN_PROCESS = tuple(name for name in faults.READERS if name not in ("deaf", "ended"))
SLICES = {
    "texts": 12,
    "links": 50,
    "requests": 30,
    "folders": 12,
}


@pytest.fixture(autouse=True)
def _own_environment() -> Iterator[None]:
    """Restore the environment variables that the fuzzing sets for its process."""
    with patch.dict(os.environ):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("name", SLICES)
def test_whatever_is_sent_is_read_or_refused_in_words(name, tmp_path):
    tally = examine(open_area(name, tmp_path), SLICES[name], seed=1)
    assert tally.failures == []
    assert tally.inputs >= SLICES[name] / 2


@pytest.mark.slow
def test_requests_are_answered_while_a_browser_is_driven(browser, tmp_path):
    """Playwright keeps an event loop running in the thread of the tests."""
    assert browser.is_connected()
    tally = examine(open_area("requests", tmp_path), 10, seed=2)
    assert tally.failures == []
    assert tally.accepted


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_reader_that_is_wrong_is_named_with_a_small_input(name):
    found = examine(planted(name), 300, seed=0).failures
    assert found
    for failure in found:
        value = ast.literal_eval(failure.input)
        with pytest.raises(BaseException, match=r"."):
            check_one(planted(name), value)
        assert len(value) < 40


@pytest.mark.slow
@pytest.mark.parametrize(("name", "says"), [("deaf", "SIGXCPU"), ("ended", "SIGSEGV")])
def test_an_input_that_no_signal_stops_or_that_ends_its_process_is_named(
    name, says, tmp_path, monkeypatch
):
    monkeypatch.setattr(running, "_work", _work_on_planted)
    tally = examine_apart(name, 300, 0, tmp_path / name)
    [failure] = tally.failures
    assert says in failure.what
    assert len(ast.literal_eval(failure.input)) > 4


def _work_on_planted(name, total, seed, place):  # in its own process
    running.open_area = lambda _name, place: faults.open_area(place)
    running.inputs_of = lambda _area, total: total
    _WORK(name, total, seed, place)


_WORK = running._work


def test_the_same_seed_gives_the_same_inputs():
    def drawn(seed: int) -> list[object]:
        given: list[object] = []
        examine(planted("uncaught"), 30, seed, given.append)
        return given

    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)


def test_the_command_prints_a_table_and_the_input_to_type_again(capsys, monkeypatch):
    failure = running.Failure("'a\\'b'", "ValueError: it broke")
    monkeypatch.setattr(
        "qa.fuzz.__main__.examine_apart",
        lambda name, *_: Tally(name, 1, 2, 0.5, failures=[failure] if name == "links" else []),
    )
    assert main(["--only", "texts", "links", "--inputs", "100"]) == 1
    shown = capsys.readouterr().out
    assert re.search(r"\| all +\| 7 \| 2 \| 4 \| 0.50 \| 1 \|", shown)
    again = next(line for line in shown.splitlines() if "--again" in line)
    assert shlex.split(again)[-4:] == ["--only", "links", "--again", failure.input]
    assert main(["--only", "texts"]) == 0


def test_an_input_can_be_typed_again(capsys):
    assert main(["--only", "texts", "--again", "('digits-paper', 'copy 7', '', 'en')"]) == 0
    assert "accepted" in capsys.readouterr().out
    assert main(["--only", "texts", "--again", "('no such model', '', '', 'en')"]) == 1


def test_a_change_is_run_and_an_amount_of_any_size_refused_or_run():
    made = "scale!encoder.layers.0.self_attn.heads;h1;a{}"
    assert links.read_edits({"edits": made.format("2")}) == "accepted"
    assert links.read_edits({"edits": made.format("1e30")}) == "refused"


def test_a_changed_run_that_breaks_is_seen(monkeypatch):
    monkeypatch.setattr("viz.run.payload.pack_told", lambda _run: float("nan"))
    with pytest.raises(ValueError, match="not JSON compliant"):
        links.read_edits({"edits": "scale!encoder.layers.0.self_attn.heads;h1;a2"})


def test_a_page_is_not_drawn_with_a_model_that_it_does_not_show(tmp_path, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", "")
    area = open_area("sessions", tmp_path)
    given = ("start", {"source": "", "checkpoint": "induction-one-layer"}, {})
    assert check_one(area, given)[0] == "refused"


def test_every_area_is_there_and_they_make_up_ten_thousand(tmp_path):
    shares = 0
    for name in AREAS:
        (tmp_path / name).mkdir()
        shares += open_area(name, tmp_path / name).share
    assert shares >= 10_000


def test_the_handlers_of_signals_are_put_back():
    before = signal.getsignal(signal.SIGPROF), signal.getsignal(signal.SIGALRM)
    check_one(planted("uncaught"), "")
    assert (signal.getsignal(signal.SIGPROF), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


@pytest.mark.parametrize(
    "html",
    [
        "<fuzz>",
        "<p onclick=x>",
        "<p fuzz=1>",
        "<script>1</script>",
        "<a href=' javascript:fuzz()'>",
        "<img src=//fuzz.invalid/a>",
        "<!--fuzz-->",
        "<iframe>",
        "\ud800",
    ],
)
def test_markup_that_comes_out_is_seen(html):
    with pytest.raises(HeldError):
        check_html(f"<p>{html}</p>", "here")


def test_what_is_text_stays_text():
    check_html("<p title='&lt;fuzz onfuzz=1&gt;'>&lt;script&gt;fuzz</p>", "here")
    check_markdown(r"\[fuzz\]\(http://fuzz.invalid\)", "here")
    with pytest.raises(HeldError, match="a link"):
        check_markdown("[fuzz](http://fuzz.invalid)", "here")


@pytest.mark.parametrize("message", ["", "'key'", "x" * 9_000, "it has \x00 in it", "a b \ud800"])
def test_a_refusal_is_a_sentence(message):
    with pytest.raises(HeldError):
        check_message(message)


def test_damage_is_what_it_says():
    assert damaged(b"abcd", [("flip", 0, 0)]) == b"`bcd"
    assert damaged(b"abcd", [("cut", 2, None), ("insert", 1, b"x")]) == b"axb"
    assert damaged(b"abcd", [("swap", 0, 2, 2)]) == b"cdab"
    assert damaged(b"", [("flip", 5, 1), ("put", 3, b"x")]) == b"x"
    value = {"a": [1, {"b": 2}], "c": 3}
    assert paths_in(value) == [(), ("a",), ("c",), ("a", 0), ("a", 1), ("a", 1, "b")]
    assert edited(value, [("drop", ("c",)), ("set", ("a", 1, "b"), None)]) == {
        "a": [1, {"b": None}]
    }
    assert edited(value, [("swap", ("a", 0), ("c",)), ("drop", ("gone",))])["c"] == 1
    assert value == {"a": [1, {"b": 2}], "c": 3}
