"""Links: each reader of an address, and of the requests that a browser sends."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlencode

import streamlit as st
from hypothesis import strategies as given
from hypothesis.strategies import SearchStrategy

from model.checkpoints.checkpoint_files import list_checkpoints
from model.interventions.base import INTERVENTIONS
from model.interventions.kinds import edits_of
from model.traces import named_tensors
from qa.fuzz.area import Area, Verdict, hold
from qa.fuzz.hostile import numbers, short_texts, texts
from qa.fuzz.models import SHIPPED, load, shipped_kinds
from qa.fuzz.outgoing import check_html, check_json, check_markdown, check_message
from texts import LANGUAGES, Language, speaking
from viz.address.changes import LONGEST_LINK, MOST_CHANGES, Change, read_changes, write_changes
from viz.address.language import session_language
from viz.address.selection import Texts, carry_over, nearest
from viz.frame import deck
from viz.frame.deck import draw_code
from viz.frame.link_inputs import inputs_of_link
from viz.frame.pinned_run import read_pin
from viz.lessons.in_app.progress import asked_by_link
from viz.models import listing
from viz.pictures import tokens
from viz.run.axes import KINDS
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.subjects.compare.sections import url_state as compare
from viz.subjects.decoding.choices import follow_choices
from viz.subjects.decoding.strategy import branch_text, read_branch, read_shaping
from viz.subjects.start import actions as start
from viz.subjects.touch.change_requests import read_asked

_MODEL = "digits-paper"
_SOURCE = "copy 7 0 7"
_AMOUNTS = ("0", "1", "-2", "1e10", "1e19", "1e30", "-1e30", "1e38", "1e39", "1e308", "-1e308")
Values = Mapping[str, Any]


@cache
def run() -> Run:
    """Return the run that links lead to."""
    return make_run(load(_MODEL), _SOURCE)


class _Query(dict[str, Any]):
    """The parameters of an address, in Streamlit's form."""

    def get_all(self, name: str) -> list[str]:
        return [self[name]] if name in self else []


@contextmanager
def arrived(values: Values, **state: Any) -> Iterator[None]:
    """Run the block as a session that just opened a link."""
    query = _Query({name: text for name, text in values.items() if isinstance(text, str)})
    with (
        mock.patch.object(st, "query_params", query),
        mock.patch.object(st, "session_state", state),
    ):
        yield


def read_selection(values: Values) -> Verdict:
    """Check that the selection exists whatever is asked for, and is read back as it was written."""
    found, notes = nearest(run(), values, moved="moved" in values)
    for note in notes:
        check_markdown(tokens.markdown(note), "a note")
    again, more = nearest(run(), found.to_dict())
    hold(again == found and not more, "what is selected is not in the run")
    texts_of_run = Texts(run().source.tokens, run().target_tokens)
    carry_over(texts_of_run, values, {"query": "7", "key": "x"})
    return "refused" if notes else "accepted"


def read_edits(values: Values) -> Verdict:
    """Check that changes are refused with a message, or made and run, and read back as written."""
    text = str(values.get("edits", ""))
    try:
        found = read_changes(text, _MODEL, _SOURCE, "")
    except ValueError as error:
        check_message(error)
        return "refused"
    written = write_changes(found, (_MODEL, _SOURCE, ""))
    if len(written) <= LONGEST_LINK:
        again = read_changes(written, _MODEL, _SOURCE, "")
        hold(again == found, "changes are read back differently")
    try:
        edits_of([change.intervention for change in found], load(_MODEL).model)
        for change in found:
            said = change.intervention.text(run().source.tokens, run().target_tokens)
            check_html(tokens.note(said), "a change")
        changed = make_run(
            load(_MODEL), _SOURCE, interventions=tuple(change.intervention for change in found)
        )
    except ValueError as error:
        check_message(error)
        return "refused"
    check_json(pack_run(changed, "key").said["meta"], "a changed run")
    return "accepted"


def read_pinned(values: Values) -> Verdict:
    """Check that a pinned run can be sent, or is none."""
    found = read_pin(str(values.get("pinned", "")), "cpu")
    if found is None:
        return "refused"
    check_json([found.checkpoint, found.source, found.target], "a pinned run")
    write_changes(map(Change, found.interventions))
    return "accepted"


def read_decoding(values: Values) -> Verdict:
    """Check that a branch and a shaping are refused with a message, and read back as written."""
    with arrived(values):
        choices, notes = follow_choices("key")
    for note in notes:
        check_markdown(tokens.markdown(note), "a note")
    if choices.branch:
        hold(
            read_branch(branch_text(choices.branch)) == choices.branch,
            "a branch is read back differently",
        )
    shaping = read_shaping(str(values.get("shaping", "")))
    hold(shaping is None or shaping.temperature > 0, "a temperature that is not above 0")
    return "refused" if notes else "accepted"


def read_compared(values: Values) -> Verdict:
    """Check that the texts to compare are short, and can be sent."""
    with arrived(values):
        compare.follow_link("cpu")
        for name, most in compare.NAMES.items():
            hold(len(compare.asked(name)) <= most, f"{name} is longer than {most}")
    return "accepted"


def read_lesson_link(values: Values) -> Verdict:
    """Check that a step of a lesson, and a stop of the tour, are existing numbers."""
    with arrived(values):
        standing = asked_by_link()
        stop = start.tour_stop(5)
        spoken = session_language() if "lang" in values else "en"
    hold(standing is None or 1 <= standing.part <= 999, "a step beyond every lesson")
    hold(stop is None or 1 <= stop <= 5, "a stop beyond the tour")
    hold(spoken in LANGUAGES, "an unknown language")
    return "refused" if standing is None else "accepted"


def read_slide(values: Values) -> Verdict:
    """Check that the link of a slide runs valid inputs, or nothing, and has a QR code."""
    link = f"attention?{values.get('link', '')}"
    names = [path.name for path in list_checkpoints(SHIPPED)]
    with arrived({}, slides={"ahead": link, "code": values.get("code", "")}):
        found = inputs_of_link(link, listing.listed_names())
        deck._draw_code()
        check_json(st.session_state.get("slides_code"), "a code")
    if found is None:
        return "refused"
    hold(found.checkpoint in names, "a model that is not listed")
    check_json([found.source, found.target], "the texts of a slide")
    return "accepted"


def read_code(values: Values) -> Verdict:
    """Check that any text has a QR code, or is too long for one."""
    made = draw_code(str(values.get("code", "")))
    hold(set(made["path"]) <= set("Mhv-z0123456789 "), "a code is more than a path")
    return "accepted" if made["size"] else "refused"


def read_hand(values: Values) -> Verdict:
    """Check that changes by hand are refused with a message, or fit this model."""
    try:
        found = read_asked(values.get("interventions"), run().info.config)
    except ValueError as error:
        check_message(error)
        return "refused"
    return read_edits({"edits": write_changes(map(Change, found))})


READERS: Mapping[str, Callable[[Values], Verdict]] = {
    reader.__name__: reader
    for reader in (
        read_selection, read_edits, read_pinned, read_decoding, read_compared,
        read_lesson_link, read_slide, read_code, read_hand,
    )
}  # fmt: skip


def check(value: tuple[str, Values, Language]) -> Verdict:
    """Pass one address to one reader."""
    reader, values, language = value
    with speaking(language):
        return READERS[reader](values)


def _some(**drawn: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    return given.fixed_dictionaries({}, optional=drawn)


def _names() -> list[str]:
    return [name for name, _ in named_tensors(run().trace)]


def _change() -> SearchStrategy[str]:
    """Return the text of a change: a kind, a name, and its parts, any of which may be invalid."""
    kinds = given.sampled_from((*INTERVENTIONS, "none"))
    name = given.one_of(
        given.sampled_from(_names()),
        given.sampled_from(("decoder.layers.*.cross_attn.weights", "*", "logits", "", "x" * 500)),
        short_texts(),
    )
    listed = given.lists(numbers(), min_size=1, max_size=4).map("_".join)
    part = given.one_of(
        given.tuples(given.sampled_from("hrcavoqg"), given.one_of(numbers(), listed)).map("".join),
        short_texts(),
    )
    built = given.builds(
        lambda off, kind, mark, name, parts: off + kind + mark + ";".join((name, *parts)),
        given.sampled_from(("", "-")),
        kinds,
        given.sampled_from(("!", "!", "!", "", "~")),
        name,
        given.lists(part, max_size=4),
    )
    return given.one_of(built, short_texts())


def _large_change() -> SearchStrategy[str]:
    """Return the text of a possible change, with an amount of any size."""
    return given.builds(
        lambda kind, name, head, amount: f"{kind}!{name};h{head};a{amount}",
        given.sampled_from(("scale", "set")),
        given.sampled_from([name for name in _names() if name.endswith(("heads", "weights"))]),
        given.integers(0, 1),
        given.sampled_from(_AMOUNTS),
    )


def _changes() -> SearchStrategy[str]:
    return given.lists(_change(), max_size=5).map("~".join)


def _changes_of_one() -> SearchStrategy[str]:
    """Return many changes of one tensor, up to the limit of a link.

    Each changes the result of the one before, by its own kind and for its own rows.
    """
    rows = given.lists(given.integers(0, 9), min_size=1, max_size=3)
    placed = given.one_of(given.just(""), rows.map(lambda all_: ";r" + "_".join(map(str, all_))))
    heads = given.sampled_from(("", ";h0", ";h1"))
    of_weights = (("scale", ";a0.5"), ("point", ";c0;a0.5"), ("cut", ";c1"), ("set", ";c1;a1"))
    of_heads = (("zero", ""), ("scale", ";a0.5"), ("set", ";a1"))

    def built(name: str) -> SearchStrategy[str]:
        kinds = given.sampled_from(of_weights if name.endswith("weights") else of_heads)
        one = given.builds(
            lambda kind, head, at: f"{kind[0]}!{name}{head}{at}{kind[1]}", kinds, heads, placed
        )
        return given.lists(one, min_size=8, max_size=MOST_CHANGES).map("~".join)

    names = [name for name in _names() if name.endswith(("weights", "heads"))]
    return given.sampled_from(names).flatmap(built)


def _loose() -> SearchStrategy[Any]:
    """Return unexpected values that a browser's JSON may have."""
    return given.one_of(
        given.none(),
        given.booleans(),
        given.integers(-(2**63), 2**63),
        given.floats(),
        short_texts(),
        given.lists(given.integers(-2, 9), max_size=4),
        given.lists(given.floats(), max_size=3),
        given.just({}),
    )


def _pulls() -> SearchStrategy[Any]:
    weights = [name for name in _names() if name.endswith(".weights")]
    others = ("head", "rows", "columns", "values", "amount", "origin_head")
    one = _some(
        kind=given.one_of(given.sampled_from(("point", "paint", "cut", "patch")), _loose()),
        name=given.one_of(given.sampled_from(weights), _loose()),
        **{name: _loose() for name in others},
    )
    return given.one_of(_loose(), given.lists(given.one_of(one, _loose()), max_size=9))


def _pin() -> SearchStrategy[str]:
    parts = given.tuples(given.sampled_from((_MODEL, "x")), texts(), short_texts(), _changes())
    return given.one_of(
        parts.map(lambda pin: json.dumps(list(pin))),
        parts.map(lambda pin: json.dumps(list(pin), ensure_ascii=False)),
        given.sampled_from(("[", "[" * 7_000, '["","","",""]', '["\\ud800","","",""]', "null")),
        short_texts(),
    )


def _branches() -> SearchStrategy[str]:
    fork = given.builds(lambda a, b: f"{a}:{b}", numbers(), numbers())
    branch = given.lists(given.one_of(fork, short_texts()), max_size=9).map(".".join)
    return given.lists(branch, max_size=10).map(",".join)


def _query() -> SearchStrategy[str]:
    checkpoints = given.one_of(given.sampled_from((*shipped_kinds(), "../x", "")), short_texts())
    sent = short_texts().filter(lambda text: text.isprintable() or text.isascii())
    drawn = _some(checkpoint=checkpoints, source=sent, target=sent, edits=_change(), device=sent)
    return given.one_of(
        drawn.map(lambda query: urlencode(query, errors="surrogatepass")), short_texts()
    )


def open_area(place: Path) -> Area:
    """Draw a reader, and for each of its names a valid or an invalid value."""
    del place
    word, number, any_text = short_texts(), numbers(), given.one_of(texts(), numbers())
    selection = dict.fromkeys(("layer", "head", "query", "key", "step"), given.one_of(number, word))
    kind = given.one_of(given.sampled_from(KINDS), word)
    shaping = given.lists(number, min_size=1, max_size=4).map(":".join)
    compared = dict.fromkeys(compare.NAMES, any_text) | {"pinned": _pin()}
    steps = dict.fromkeys(("part", "tour"), number)
    drawn = {
        "read_selection": _some(kind=kind, **selection, moved=given.just("")),
        "read_edits": _some(edits=given.one_of(_changes(), _changes_of_one(), _large_change())),
        "read_pinned": _some(pinned=_pin()),
        "read_decoding": _some(branches=_branches(), at=number, shaping=shaping, drawn=shaping),
        "read_compared": _some(**compared),
        "read_lesson_link": _some(lesson=any_text, **steps, lang=word),
        "read_slide": _some(link=_query(), code=any_text),
        "read_code": _some(code=any_text),
        "read_hand": _some(interventions=_pulls()),
    }
    languages = given.sampled_from(LANGUAGES)
    readers = [given.tuples(given.just(name), values, languages) for name, values in drawn.items()]
    return Area("links", given.one_of(readers), check, share=4_300)
