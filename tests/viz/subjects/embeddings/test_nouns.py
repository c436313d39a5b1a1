"""What the page says and draws about nouns, with the shipped models."""

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from sample_data.everyday import english_nouns
from tests.checkpoints import SHIPPED, VARIANTS, load_shipped
from tests.pages import numbers, open_page, texts
from tests.viz.subjects.embeddings.test_probe import least_squares

SENTENCE = "the animal did not cross the street because it was too tired ."


@pytest.fixture(autouse=True)
def shipped_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))


def drawn(page: AppTest) -> dict[str, dict]:
    [chart] = [c for c in page.get("plotly_chart") if "embeddings_nouns" in c.proto.id]
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def computed(name: str) -> tuple[dict[str, tuple[float, float]], dict[str, tuple[bool, bool]]]:
    """Place the nouns by the cuts that least squares finds in a model's weights."""
    checkpoint = load_shipped(VARIANTS[name])
    ids = checkpoint.info.tokenizers.source.vocabulary
    known = {word: noun for word, noun in english_nouns().items() if word in ids}
    rows = checkpoint.model.get_parameter("source_embedding.weight").detach().double().numpy()
    french = sorted({noun.french for noun in known.values()})
    words = sorted(known, key=ids.__getitem__)
    vectors = rows[[ids[word] for word in words]]
    facts = np.array([[known[w].form.is_feminine, known[w].form.is_plural] for w in words])
    fitted = np.array([french.index(known[word].french) % 2 == 1 for word in words])
    found = [least_squares(vectors[fitted], facts[fitted, axis]) for axis in (0, 1)]
    points = np.stack([vectors @ weights + offset for weights, offset in found], axis=1)
    kept = [i for i in range(len(words)) if not fitted[i]]
    return (
        {words[i]: tuple(points[i]) for i in kept},
        {words[i]: tuple(facts[i]) for i in kept},
    )


@pytest.mark.parametrize("name", ["paper", "prenorm"])
def test_nouns_are_drawn_where_independent_cuts_place_them(name):
    page = open_page("embeddings", VARIANTS[name], SENTENCE)
    traces, (places, facts) = drawn(page), computed(name)
    seen = 0
    for title, is_feminine in (("le: masculine nouns", False), ("la: feminine nouns", True)):
        trace = traces[title]
        for word, x, y in zip(trace["text"], numbers(trace["x"]), numbers(trace["y"]), strict=True):
            assert facts[word][0] == is_feminine, word
            assert (x, y) == pytest.approx(places[word], abs=1e-6), word
            seen += 1
    assert seen == len(places)
    right = np.mean([(places[w][0] > 0) == facts[w][0] for w in places])
    feminine = np.mean([facts[w][0] for w in places])
    said = re.search(
        r"([\d.]+) ?% of the nouns below lie on the correct side "
        r"\(([\d.]+) ?% if you always guess “le”\)",
        texts(page),
    )
    assert said
    assert [float(n) for n in said.groups()] == pytest.approx(
        [100 * right, 100 * (1 - feminine)], abs=0.051
    )
    assert "Nobody told the model that English words have genders" in texts(page)


def test_words_of_the_sentence_are_ringed_and_one_that_was_fitted_is_hollow():
    page = open_page("embeddings", VARIANTS["paper"], "the cat sees the dog .")
    traces, (places, _) = drawn(page), computed("paper")
    assert "cat" not in places
    masculine = traces["le: masculine nouns"]
    symbols = dict(zip(masculine["text"], masculine["marker"]["symbol"], strict=True))
    assert (symbols["cat"], symbols["dog"]) == ("circle-open", "circle")
    assert len(numbers(traces["in your sentence"]["x"])) == 2
    assert {"<b>cat</b>", "<b>dog</b>"} <= {*traces["labels"]["text"]}
    assert "A hollow point is one of the nouns that the cuts were fitted to." in texts(page)


def test_a_model_whose_nouns_tell_nothing_says_so():
    page = open_page("embeddings", VARIANTS["headlist"], SENTENCE)
    assert "do not tell its gender in French" in texts(page)
    assert "Nobody told" not in texts(page)
    assert "have the same gender" not in texts(page)


def test_french_nouns_have_a_picture_of_their_own():
    page = open_page("embeddings", VARIANTS["paper"], SENTENCE, embeddings_side="target")
    assert "The numbers of a French noun partly tell its gender: 88." in texts(page)
    assert "rue" in drawn(page)["la: feminine nouns"]["text"]


def test_in_french_the_numbers_are_written_as_french_writes_them():
    page = open_page("embeddings", VARIANTS["paper"], SENTENCE, lang="fr")
    assert re.search(r"\d,\d[\u202f\u00a0 ]% des noms ci-dessous sont du bon côté", texts(page))


@pytest.mark.parametrize("name", ["digits-paper", "brackets", "agreement", "induction-two-heads"])
def test_other_models_make_no_claim(name):
    page = open_page("embeddings", name, "reverse 3 1 4" if name == "digits-paper" else "( ( ) )")
    assert "gender" not in re.sub(r"<[^>]+>", "", texts(page)).replace("gender_", "")
    assert not [c for c in page.get("plotly_chart") if "embeddings_nouns" in c.proto.id]
