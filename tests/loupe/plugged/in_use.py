"""Tests that test_plugins.py runs in a process with the guide's three plug-ins installed."""

import subprocess
import sys

from streamlit.testing.v1 import AppTest

import loupe
from loupe.plugins import Intervention, Plugin, installed
from model.checkpoints.checkpoint import load_checkpoint
from model.plugins import known
from tests.checkpoints import SHIPPED
from tests.pages import APP, ok, open_app, sent, texts
from texts import say, speaking
from viz.address.changes import change_for, read_changes, write_changes
from viz.frame.python import again_lines
from viz.lessons.edits import read_edit
from viz.models.running import open_view
from viz.pages import AS_PYTHON, PAGES, PLACES, title
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.provenance import provenance

HEADS = "encoder.layers.0.self_attn.heads"
LINK = f"acme-clip!{HEADS};h1;a0.1"
TEXT = "the cat sleeps ."


def test_a_family_and_a_kind_are_loaded_when_they_are_first_used() -> None:
    """This process may already have used the plug-ins, so another process checks."""
    script = (
        "import sys, loupe, loupe.plugins\n"
        "from loupe.plugins import Intervention\n"
        "Intervention('zero', 'logits')\n"
        "print([m for m in ('acme_gpt', 'acme_clip', 'acme_entropy') if m in sys.modules])\n"
        "Intervention('acme-clip', 'decoder.output')\n"
        "print([m for m in ('acme_gpt', 'acme_clip', 'acme_entropy') if m in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", "['acme_clip']"]
    assert done.stderr == ""


def test_all_three_are_listed_with_package_and_version() -> None:
    assert [(each.name, each.package, each.version, each.fault) for each in installed()] == [
        ("acme-clip", "acme-clip", "1.0", ""),
        ("acme-entropy", "acme-entropy", "1.0", ""),
        ("acme-gpt", "acme-gpt", "1.0", ""),
    ]
    assert all(isinstance(each, Plugin) for each in known())


def test_the_page_has_its_title_and_its_place() -> None:
    [page] = [page for page in PAGES if page.URL == "acme-entropy"]
    assert PLACES["measure"][-1] is page
    assert title(page) == "Entropy"
    with speaking("fr"):
        assert title(page) == "Entropie"
    view = open_view(Inputs("digits-paper", "1 2 3", "", "cpu"))
    [lines] = AS_PYTHON["acme-entropy"](view, None).values()
    names = {"loupe": loupe, "checkpoint": loupe.load("digits-paper"), "text": "1 2 3"}
    exec(lines, names)
    assert page.NEEDS(view.run.anatomy) is None


def test_a_link_holds_the_change_and_gives_it_back() -> None:
    change = change_for(Intervention("acme-clip", HEADS, head=1, amount=0.1), "m", TEXT, "")
    assert write_changes([change]) == LINK
    assert read_changes(LINK, "m", TEXT, "") == (change,)


def opened_at(page: str, link: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params.update(source=TEXT, checkpoint="everyday-paper-0", edits=link)
    app.session_state["go_to"] = page
    return ok(app.run())


def app_with_undo():
    """Show the app, with a button below it that does what the app's bar does in a browser."""
    import streamlit as st

    from viz.address import history
    from viz.script import main

    main()
    st.button("undo", key="undo_here", on_click=history.undo)


def test_a_change_by_a_link_is_named_changes_the_run_and_is_undone() -> None:
    plain = open_app(source=TEXT, checkpoint="everyday-paper-0")
    assert not sent(plain, "changes")
    app = AppTest.from_function(app_with_undo, default_timeout=120)
    app.query_params.update(source=TEXT, checkpoint="everyday-paper-0", edits=LINK)
    ok(app.run())
    [bar] = sent(app, "changes")
    [change] = bar["changes"]
    assert change["text"] == "encoder self-attention, layer 0, head 1 clipped to ±0.1"
    assert bar["run"] != bar["before"]
    ok(app.button(key="undo_here").click().run())
    assert "edits" not in app.query_params
    [bar] = sent(app, "changes")
    assert bar["changes"] == []
    assert bar["run"] == bar["before"]


def test_the_page_of_hands_says_that_python_makes_the_change() -> None:
    for link, is_said in ((LINK, True), (LINK.replace("acme-clip", "scale"), False)):
        app = opened_at("touch", link)
        assert (say("touch.anew_changed") in texts(app)) is is_said


def test_a_lesson_may_name_it() -> None:
    checkpoint = load_checkpoint(SHIPPED / "everyday-paper-0")
    run = make_run(checkpoint, TEXT)
    made = read_edit(f"acme-clip!{HEADS};a0.1", checkpoint, run, "edit")
    assert made == Intervention("acme-clip", HEADS, amount=0.1)


def test_a_saved_run_says_it_and_makes_it_again() -> None:
    made = Intervention("acme-clip", HEADS, head=1, amount=0.1)
    view = open_view(Inputs("everyday-paper-0", TEXT, "", "cpu", (made,)))
    said = provenance(view, sha256=None, again="")
    assert said["edits"] == ["encoder self-attention, layer 0, head 1 clipped to ±0.1"]
    names: dict = {}
    exec(again_lines(view), names)
    assert (names["run"].trace.logits == view.run.trace.logits).all()
    plain = open_view(Inputs("everyday-paper-0", TEXT, "", "cpu"))
    assert not (plain.run.trace.logits == view.run.trace.logits).all()
