from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from sample_data.tasks import TASKS
from tests.checkpoints import DEFAULT, write_checkpoints

APP = str(Path(__file__).parents[1] / "app.py")


@pytest.fixture(autouse=True)
def _checkpoints(tmp_path, monkeypatch):
    write_checkpoints(tmp_path)
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))


def start(**query) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = value
    return ok(app.run())


def ok(app: AppTest) -> AppTest:
    assert not app.exception
    return app


def typed(source: str) -> AppTest:
    app = ok(start().text_input(key="source").set_value(source).run())
    assert app.text_input(key="source").value == source
    return app


def texts(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html"))


def charts(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


def test_starts_with_the_first_example_and_the_best_head():
    app = start()
    assert app.text_input(key="source").value == DEFAULT
    assert "l&#x27;animal n&#x27;a pas traversé la rue" in texts(app)
    assert "decoder.layers.1.cross_attn.weights[2]" in texts(app)
    assert charts(app) == 2


def test_keeps_nothing_in_the_session_but_what_was_chosen():
    app = start()
    for key in ("checkpoint", "source", "kind", "layer", "head"):
        assert isinstance(app.session_state[key], str | int)


def test_says_what_runs():
    assert "2 + 2 layers, 4 heads" in texts(start())
    assert "on CPU" in texts(start())


@pytest.mark.parametrize("empty", ["", "   ", "\u200b\x00"])
def test_asks_for_a_sentence_when_there_is_none(empty):
    app = typed(empty)
    assert "Type a sentence" in texts(app)
    assert charts(app) == 0
    ok(app.button(key="offer_0").click().run())
    assert app.text_input(key="source").value == DEFAULT
    assert charts(app) == 2


def test_marks_unknown_words_and_replaces_them_at_a_click():
    app = typed("the cad sleeps .")
    assert "<mark>cad</mark>" in texts(app)
    assert charts(app) == 2
    ok(app.button(key="replace_0_cat").click().run())
    assert app.text_input(key="source").value == "the cat sleeps ."
    assert "<mark" not in texts(app)
    assert "le chat dort." in texts(app)


def test_says_how_long_a_source_may_be():
    assert "14 of at most 60 tokens" in texts(start())
    app = typed("cat " * 60)
    assert "It has 61 tokens" in texts(app)
    assert charts(app) == 0
    assert charts(typed("cat " * 59)) == 2


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)> cat",
        "**bold** `code` $x^2$ [a](http://b) :smile: # h",
        "🐈‍⬛ 👩‍👩‍👧 cat",
        "القط ينام",
        "cat\u202e\u0007\x00 sleeps",
        "a\\b \\frac{1}{2}",
    ],
)
def test_shows_any_text_literally(hostile):
    app = typed(hostile)
    assert "<script" not in texts(app)
    assert "<img" not in texts(app)


def test_survives_ten_thousand_characters():
    for text in ("x" * 10_000, "🐈" * 10_000, "the cat " * 1_250):
        app = typed(text)
        assert len(texts(app)) < 40_000


def test_an_example_of_the_checkpoints_task_goes_into_the_field():
    app = start(checkpoint="digits-paper")
    example = TASKS["digits"].examples[0]
    assert app.text_input(key="source").value == example
    assert "Command tokens read" in texts(app)


def test_another_task_brings_its_own_example_but_never_drops_what_was_typed():
    app = start()
    ok(app.selectbox(key="checkpoint").set_value("digits-paper").run())
    assert app.text_input(key="source").value == TASKS["digits"].examples[0]
    app = typed("my own words")
    ok(app.selectbox(key="checkpoint").set_value("digits-paper").run())
    assert app.text_input(key="source").value == "my own words"


def test_a_link_says_it_all():
    app = start(
        checkpoint="english-french-headlist",
        source="the cat sleeps .",
        kind="encoder self-attention",
        layer="0",
        head="3",
    )
    assert "encoder.layers.0.self_attn.weights[3]" in texts(app)
    assert "le chat dort." in texts(app)
    assert not app.warning


@pytest.mark.parametrize(
    ("query", "shown", "said"),
    [
        ({"layer": "9"}, "layers.1.cross_attn.weights[2]", "layer 9; this model has 0 to 1"),
        ({"head": "-3"}, "layers.1.cross_attn.weights[0]", "head \\-3; this model has 0 to 3"),
        ({"layer": "x"}, "layers.1.cross_attn.weights[2]", "layer x; this model has 0 to 1"),
        ({"head": "9" * 5000}, "layers.1.cross_attn.weights[3]", "this model has 0 to 3"),
        ({"kind": "nonsense"}, "layers.1.cross_attn.weights[2]", "There is no nonsense"),
        ({"checkpoint": "gone"}, "layers.1.cross_attn.weights[2]", "There is no checkpoint gone"),
    ],
)
def test_a_bad_link_shows_the_nearest_and_says_so(query, shown, said):
    app = start(**query)
    assert shown in texts(app)
    assert said in app.warning[0].value


def test_says_how_to_get_a_checkpoint_where_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path / "nowhere"))
    app = start()
    assert "no trained model here yet" in texts(app)
    assert "python -m model.train english-french" in app.code[0].value


def test_a_broken_checkpoint_leaves_the_others_to_choose(tmp_path):
    broken = tmp_path / "english-french-paper.json"
    broken.write_text("{")
    app = start()
    assert "cannot be used" in texts(app)
    assert "not JSON" in texts(app)
    ok(app.selectbox(key="checkpoint").set_value("english-french-headlist").run())
    assert charts(app) == 2


def test_weights_of_another_training_are_refused(tmp_path):
    weights = tmp_path / "english-french-paper.safetensors"
    weights.write_bytes((tmp_path / "digits-paper.safetensors").read_bytes())
    app = start()
    assert "sha256" in texts(app)
    assert charts(app) == 0
