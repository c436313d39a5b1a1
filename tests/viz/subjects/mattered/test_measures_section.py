import json

import pytest
from streamlit.testing.v1 import AppTest

from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT
from tests.pages import ok, texts

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


def show(
    name, source, changes, target
):  # AppTest runs only this source: no annotations, imports inside
    from viz.address.link import follow_selection
    from viz.models import running
    from viz.run.inputs import Inputs
    from viz.subjects.mattered.sections.measures import show_lead_fold, show_measures_fold

    view = running.open_view(Inputs(name, source, target, "cpu", changes))
    follow_selection(view.run, view.parcel.key, "mattered")
    show_measures_fold(view)
    show_lead_fold(view)


def opened(name="everyday-paper", source=DEFAULT, changes=(), target="", **query: str) -> AppTest:
    page = AppTest.from_function(show, args=(name, source, changes, target), default_timeout=60)
    for key, value in ({"more_mattered_measures": "true"} | query).items():
        page.query_params[key] = value
    return ok(page.run())


def sent(page: AppTest) -> dict:
    (found,) = (
        c.proto
        for c in page.get("bidi_component")
        if c.proto.component_name == "loupe_mattered_measures"
    )
    return json.loads(found.mixed.json or found.json)


def test_the_measures_of_the_step_in_the_link_are_shown():
    page = opened(step="3")
    data = sent(page)
    assert len(data["measures"]) == 6
    known = {m["name"]: [i for i, row in enumerate(m["rows"]) if row] for m in data["measures"]}
    assert known["swapped"] == [3]
    said = texts(page)
    assert "Which word mattered for" in said
    assert "integrated gradients sum to" in said


def test_what_adds_to_a_logit_is_shown_with_its_error():
    page = opened(step="3", more_mattered_lead="true")
    said = texts(page)
    assert "the parts sum to the logit difference" in said
    assert "Feed-forward network, L1" in said
    first = page.get("button_group")[0].proto
    assert len(first.options) == 6


def test_a_long_sentence_says_what_would_work():
    words = " ".join(["the cat"] * 45)
    page = opened(source=words, step="0")
    assert "limited to texts of 60 tokens" in texts(page)
    assert {m["name"] for m in sent(page)["measures"]} >= {"attention", "direct"}


@pytest.mark.parametrize(
    ("name", "source"),
    [("everyday-headlist", DEFAULT), ("digits-paper", "reverse 3 1 4 1 5 9")],
)
def test_every_model_has_them(name, source):
    assert len(sent(opened(name, source))["measures"]) == 6


@pytest.mark.parametrize(
    "change",
    [
        Intervention("zero", "decoder.layers.0.cross_attn.heads", head=1),
        Intervention("scale", "decoder.layers.1.after_cross_attn", amount=2.0),
    ],
    ids=lambda change: change.kind,
)
def test_a_changed_run_has_them_too(change):
    page = opened(changes=(change,), target="le chat dort .", step="0", more_mattered_lead="true")
    assert len(sent(page)["measures"]) == 6
    said = texts(page)
    assert "Which word mattered for" in said
    assert ("One of your changes" in said) == (change.kind == "scale")
