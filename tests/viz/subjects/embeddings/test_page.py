import json
import re
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import DEFAULT
from tests.pages import open_page, sent, texts
from viz.run.making import make_run
from viz.subjects.embeddings.geometry import pca
from viz.subjects.embeddings.groups import content_tokens
from viz.subjects.embeddings.pictures import _take_word
from viz.subjects.embeddings.points import states, vocabulary
from viz.subjects.embeddings.sections.nouns import clicked_token

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.fixture
def opened(tiny_checkpoints):
    checkpoint = load_checkpoint(tiny_checkpoints / "everyday-paper")
    return make_run(checkpoint, DEFAULT), checkpoint.model


def start(**query: str) -> AppTest:
    return open_page("embeddings", **{f"embeddings_{key}": value for key, value in query.items()})


def figure(page: AppTest, key: str) -> dict:
    [chart] = [c for c in page.get("plotly_chart") if key in c.proto.id]
    return json.loads(chart.proto.spec)


def ranked(shown, token: str) -> tuple[list[str], np.ndarray]:
    unit = shown.vectors / np.linalg.norm(shown.vectors, axis=1, keepdims=True)
    cosines = unit @ unit[shown.tokens.index(token)]
    order = [i for i in np.argsort(-cosines) if shown.tokens[i] != token]
    return [shown.tokens[i] for i in order], cosines[order]


def said(page: AppTest) -> tuple[str, list[tuple[str, str]]]:
    answer = re.search(r"nearest to “(.+?)” are (.+?)\.</", texts(page))
    assert answer
    return answer[1], re.findall(r"“(.+?)” \(([\d.−]+)\)", answer[2])


def test_opens_on_the_verb_of_the_sentence_or_its_word_with_the_nearest_neighbour(opened):
    run, model = opened
    shown = vocabulary(run, model, "source")
    page = start()
    token, near = said(page)
    names, cosines = ranked(shown, token)
    assert [name for name, _ in near] == names[:3]
    assert [float(c.replace("−", "-")) for _, c in near] == pytest.approx(cosines[:3], abs=0.0051)
    assert token == "cross"
    assert f"would have {shown.in_common:.2f}".replace("-", "−") in texts(page)


def test_without_a_verb_it_opens_on_the_word_with_the_nearest_neighbour(opened):
    run, model = opened
    shown = vocabulary(run, model, "source")
    content = content_tokens(run.info, "source", ["animal", "street", "tired"])
    best = {each: ranked(shown, each)[1][0] for each in content}
    page = open_page("embeddings", source="animal street tired .")
    assert said(page)[0] == max(best, key=best.__getitem__)


@pytest.mark.parametrize("link", ["cat", "cat · {id}"])
def test_lists_the_nearest_of_the_word_of_the_link(opened, link):
    run, model = opened
    shown = vocabulary(run, model, "source")
    cat = shown.ids[shown.tokens.index("cat")]
    page = start(source_token=link.format(id=cat))
    assert page.selectbox(key="embeddings_source_token").value == "cat"
    names, cosines = ranked(shown, "cat")
    [bars] = sent(page, "nearest")
    assert (bars["of"], bars["words"]) == ("cat", names[:10])
    assert bars["cosines"] == pytest.approx(cosines[:10], abs=1e-6)  # rows are float32
    assert said(page)[0] == "cat"


def test_the_plane_has_the_words_of_the_sentence_and_the_one_asked_for_with_their_nearest(opened):
    run, model = opened
    shown = vocabulary(run, model, "source")
    [plane] = sent(start(source_token="cat"), "cloud")
    words = plane["words"]
    near = ranked(shown, "cat")[0][:6]
    assert {"cat", "animal", "street", "tired", *near} <= {*words}
    assert words[plane["chosen"]] == "cat"
    assert {"cat", "animal", "street", "tired"} <= {words[at] for at in plane["heads"]}
    assert [words[to] for head, to in plane["near"] if words[head] == "cat"] == near
    assert {*plane["groups"]} == {*plane["looks"]}
    rows = shown.vectors[[shown.tokens.index(word) for word in words]].astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    own, _ = pca(rows)
    np.testing.assert_allclose(plane["points"], own, atol=1e-9)


def test_all_words_are_placed_once_asked_for(opened):
    run, model = opened
    page = open_page("embeddings", more_embeddings_all="true")
    [cloud] = [each for each in sent(page, "cloud") if not each["near"]]
    shown = vocabulary(run, model, "source")
    count = len(shown.ids)
    assert cloud["words"] == list(shown.tokens)
    assert f"The {count} most frequent words" in texts(page)


@pytest.mark.parametrize("times", [2, 8])
def test_a_zoom_keeps_the_words_around_the_chosen_one(times):
    whole = open_page("embeddings", more_embeddings_all="true")
    page = open_page("embeddings", more_embeddings_all="true", embeddings_zoom=str(times))
    every, kept = places(whole), places(page)
    chosen = every[said(page)[0]]
    spread = np.ptp([*every.values()], axis=0)
    assert 1 <= len(kept) < len(every)
    assert all(kept[word] == pytest.approx(every[word]) for word in kept)
    assert said(page)[0] in kept
    for word, place in every.items():
        if (np.abs(np.array(place) - chosen) < spread / times / 2 - 1e-6).all():
            assert word in kept
    assert (np.ptp([*kept.values()], axis=0) <= spread / times + 1e-6).all()


def places(page: AppTest) -> dict[str, tuple[float, float]]:
    """Return the position of each word in the picture of all words."""
    [cloud] = [each for each in sent(page, "cloud") if not each["near"]]
    return dict(zip(cloud["words"], map(tuple, cloud["points"]), strict=True))


def test_small_models_make_no_claim_of_genders():
    page = start()
    assert "Which words are alike to the model?" in texts(page)
    assert "gender" not in texts(page).split("loupe-answer")[1].split("</p>")[0]
    assert not [c for c in page.get("plotly_chart") if "embeddings_nouns" in c.proto.id]


@pytest.mark.parametrize(
    ("points", "token"),
    [
        ([{"customdata": 7}], 7),
        ([{"customdata": [7]}, {"customdata": [8]}], 7),
        ([{"x": 1}], None),
        ([], None),
    ],
)
def test_a_click_tells_its_token(points, token):
    assert clicked_token({"selection": {"points": points}}) == token


@pytest.mark.parametrize(("at", "word"), [(1, "dog"), (2, "cat"), (-1, "cat")])
def test_a_clicked_word_is_chosen_if_there_is_one(monkeypatch, at, word):
    state = {"cloud": {"choose": {"at": at}}, "word": "cat"}
    monkeypatch.setattr(st, "session_state", state)
    _take_word("cloud", "word", ("cat", "dog"))
    assert state["word"] == word


def test_a_session_keeps_no_vectors_of_the_words_that_it_has_seen():
    """For a whole session Streamlit keeps the callback of each figure that it has drawn."""
    page = start()
    word = page.selectbox(key="embeddings_source_token")
    for name in word.options[:3]:
        page.selectbox(key="embeddings_source_token").set_value(name.partition(" · ")[0]).run()
    kept = page.session_state._state._state._new_widget_state.widget_metadata
    callbacks = [told.callback for id, told in kept.items() if "embeddings_plane" in id]
    assert len(callbacks) > 1
    assert all(isinstance(held, str | tuple) for told in callbacks for held in holds(told))


def holds(callback: Any) -> list[Any]:
    """Return the objects that a callback holds: its arguments, and those of its closure."""
    cells = getattr(callback, "__closure__", None) or ()
    return [*getattr(callback, "args", ()), *(cell.cell_contents for cell in cells)]


@pytest.mark.parametrize("spoken", ["fr", "en"])
def test_one_language_at_a_time(spoken):
    page = open_page("embeddings", lang=spoken, embeddings_side="target")
    languages = page.segmented_control(key="embeddings_side")
    assert languages.value == "target"
    assert languages.label == {"fr": "Langue", "en": "Language"}[spoken]
    assert {"animal", "rue"} <= {*page.selectbox(key="embeddings_target_token").options}


def test_layers_are_frames_of_one_projection(opened):
    run, _ = opened
    page = open_page("embeddings", more_embeddings_layers="true")
    shown = states(run, "source")
    spec = figure(page, "embeddings_trails")
    assert [frame["name"] for frame in spec["frames"]] == list(shown.steps)
    _, explained = pca(shown.flat)
    share = f"shows {100 * explained[:2].sum():.1f}% of their variance"
    assert f"All {len(shown.flat)} states in one plane, which {share}" in texts(page)
