import json
import re
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import DEFAULT
from tests.pages import open_page, panels, texts
from viz.run.record import make_run
from viz.subjects.embeddings.points import states, vocabulary
from viz.subjects.embeddings.projection import pca
from viz.subjects.embeddings.sections.vocabulary import clicked_token

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.fixture
def opened(tiny_checkpoints):
    checkpoint = load_checkpoint(tiny_checkpoints / "everyday-paper")
    return make_run(checkpoint, DEFAULT), checkpoint.model


def start(**query: str) -> AppTest:
    asked = {f"embeddings_{key}": value for key, value in query.items()}
    return open_page("embeddings", more_embeddings_trust="true", **asked)


def figure(page: AppTest, key: str) -> dict:
    [chart] = [c for c in page.get("plotly_chart") if key in c.proto.id]
    return json.loads(chart.proto.spec)


def test_shows_the_vocabulary_by_pca(opened):
    page = start()
    run, model = opened
    shown = vocabulary(run, model, "source")
    assert f"{len(shown.ids)} × 48" in texts(page)
    assert "source_embedding.weight × √48" in texts(page)
    assert "Only the source embedding uses these rows" in texts(page)
    cloud = figure(page, "embeddings_cloud")
    indexes = [i for trace in cloud["data"] for i in trace.get("customdata", [])]
    assert sorted(indexes) == [*range(len(shown.ids))]
    _, explained = pca(shown.vectors, 2)
    assert f"show {100 * explained[:2].sum():.1f} % of the variance" in texts(page)


def test_lists_the_nearest_of_the_token_of_the_link(opened):
    run, model = opened
    shown = vocabulary(run, model, "source")
    cat = shown.tokens.index("cat")
    page = start(source_token=f"cat · {shown.ids[cat]}")
    assert page.selectbox(key="embeddings_source_token").value == f"cat · {shown.ids[cat]}"
    unit = shown.vectors / np.linalg.norm(shown.vectors, axis=1, keepdims=True)
    order = [i for i in np.argsort(-(unit @ unit[cat])) if i != cat][:10]
    ticks = figure(page, "embeddings_nearest")["layout"]["yaxis"]["ticktext"]
    assert ticks == [shown.tokens[i].replace("<", "&lt;").replace(">", "&gt;") for i in order]
    assert "Nearest to “cat” by cosine" in texts(page)
    assert re.search(r"nearest to “cat” by cosine, \d+ are among its 10", texts(page))


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


@pytest.mark.parametrize(("spoken", "named"), [("fr", "Target"), ("fr", "target"), ("en", "Cible")])
def test_a_link_of_another_language_chooses_the_same(spoken, named):
    page = open_page("embeddings", lang=spoken, embeddings_side=named)
    assert page.segmented_control(key="embeddings_side").value == "target"
    assert (page.segmented_control(key="embeddings_side").label == "Vocabulaire") == (
        spoken == "fr"
    )


@pytest.mark.parametrize("dimensions", ["2-D", "3-D"])
def test_its_parameters_are_held_to_what_the_points_allow(dimensions):
    page = start(method="t-SNE", perplexity="50", dimensions=dimensions)
    assert page.slider[0].value == 50
    assert "allow a perplexity of" in texts(page)
    assert "t-SNE preserves neighbourhoods" in texts(page)
    kinds = {t["type"] for t in figure(page, "embeddings_cloud")["data"]}
    assert kinds == {"scatter3d" if dimensions == "3-D" else "scatter"}


def test_layers_are_frames_of_one_projection(opened):
    run, _ = opened
    page = start(section="layers", source_trail="1 · animal")
    shown = states(run, "source")
    spec = figure(page, "embeddings_trails")
    assert [frame["name"] for frame in spec["frames"]] == list(shown.steps)
    assert f"All {len(shown.flat)} states are projected together" in texts(page)
    assert "“animal, layer 1” by cosine" in texts(page)
    assert any(trace.get("name") == "selected" for trace in spec["data"])


def test_similarities_of_all_steps_or_one(opened):
    run, _ = opened
    page = start(section="likeness")
    shown = states(run, "source")
    assert [panel["title"] for panel in panels(page)] == list(shown.steps)
    assert {panel["scale"] for panel in panels(page)} == {"signed"}
    assert all(panel["largest"] == pytest.approx(1, abs=1e-6) for panel in panels(page))
    [alone] = panels(start(section="likeness", step="layer 0"))
    assert (alone["title"], alone["code"]) == ("layer 0", "encoder.layers.0.output")
    norms = np.linalg.norm(shown.vectors, axis=2).mean(axis=1)
    assert f"embedding {norms[0]:.2f}" in texts(page)


def test_begins_with_the_words_that_are_alike(opened):
    run, model = opened
    shown = vocabulary(run, model, "source")
    unit = shown.vectors / np.linalg.norm(shown.vectors, axis=1, keepdims=True)
    said = re.search(r"“(.+?)” is most like “(.+?)” \(([\d.−]+)\)", texts(start()))
    token, nearest, cosine = said.groups()
    cosines = unit @ unit[shown.tokens.index(token)]
    cosines[shown.tokens.index(token)] = -1
    assert shown.tokens[int(cosines.argmax())] == nearest
    assert float(cosine) == pytest.approx(cosines.max(), abs=0.0051)


def test_the_answer_names_the_nearest_of_the_words_that_are_drawn(opened, monkeypatch):
    run, model = opened
    monkeypatch.setattr(
        "viz.subjects.embeddings.sections.vocabulary.vocabulary", partial(vocabulary, most=8)
    )
    page = start()
    said = re.search(r"“(.+?)” is, of the (\d+) tokens drawn here, most like “(.+?)”", texts(page))
    assert said
    token, count, nearest = said.groups()
    vectors = model.embedding_of("source").weight.detach().numpy()
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    names = [run.info.tokenizers.source.token(i) for i in range(len(vectors))]
    drawn = vocabulary(run, model, "source", most=8).ids.tolist()
    cosines = {i: float(unit[i] @ unit[names.index(token)]) for i in drawn if names[i] != token}
    assert names[max(cosines, key=cosines.__getitem__)] == nearest
    assert f"Among the {count} of {len(vectors)} tokens that are drawn." in texts(page)


def test_one_section_is_open_at_a_time():
    page = open_page("embeddings", more_embeddings_likeness="true")
    assert panels(page)
    assert not page.get("plotly_chart")[1:]
    page = open_page("embeddings")
    assert not panels(page)
    assert [chart for chart in page.get("plotly_chart") if "embeddings_cloud" in chart.proto.id]
