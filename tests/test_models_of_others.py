from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.model.imports.folders import edit_config, edit_tokenizer, write_gpt2, write_llama
from tests.pages import ok
from viz.frame import words

APP = str(Path(__file__).parents[1] / "viz" / "script.py")
pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    write_gpt2(tmp_path / "small-gpt")
    write_llama(tmp_path / "small-llama")
    return tmp_path


def start(**query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    return ok(app.run())


def texts(app: AppTest) -> str:
    bodies = [element.proto.body for element in app.get("html")]
    return " ".join(body for body in bodies if "<style>" not in body)


@pytest.mark.parametrize("name", ["models/small-gpt", "models/small-llama"])
def test_a_model_of_others_goes_on_from_a_text(name):
    app = start(checkpoint=name)
    assert app.text_input(key="source").value == words.FIRST_TEXTS["writes"]
    assert name.removeprefix("models/") in texts(app)
    app = ok(app.text_input(key="source").set_value("The quick brown fox").run())
    assert "at most" in texts(app)


def test_it_is_chosen_in_the_sidebar_by_its_title():
    app = start()
    choices = app.selectbox(key="checkpoint_title").options
    assert choices[-2:] == ["small-gpt · GPT-2, 0.1 MB", "small-llama · Llama, 0.1 MB"]
    app = ok(app.selectbox(key="checkpoint_title").set_value("models/small-gpt").run())
    assert app.text_input(key="source").value == words.FIRST_TEXTS["writes"]
    own = app.selectbox(key="checkpoint_title").options[0]
    assert own not in choices[-2:]


def test_one_that_is_refused_says_why_when_it_is_chosen(models):
    edit_config(models / "small-gpt", auto_map={"AutoModel": "<b>evil</b>.Evil"})
    app = start(checkpoint="models/small-gpt")
    assert words.REFUSED_MODEL in texts(app)
    assert "auto_map of config.json asks for Python code" in texts(app)


def test_names_from_outside_are_shown_as_text(models):
    edit_config(write_gpt2(models / "<img src=x onerror=alert(1)>\u202e"), model_type="<b>evil</b>")
    name = next(n for n in (p.name for p in models.iterdir()) if "img" in n)
    app = start(checkpoint=f"models/{name}".replace("\u202e", "\\u202e"))
    assert words.REFUSED_MODEL in texts(app)
    assert "&lt;b&gt;evil&lt;/b&gt;" in texts(app)
    assert "<img" not in texts(app)
    assert "<b>evil" not in texts(app)


def test_a_text_that_the_tokenizer_fails_on_gets_a_message(models):
    def panic(values: dict) -> None:
        pattern = {"Regex": "(a+)+$"}
        values["pre_tokenizer"] = {
            "type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False,
        }  # fmt: skip

    edit_tokenizer(models / "small-gpt", panic)
    app = start(checkpoint="models/small-gpt")
    app = ok(app.text_input(key="source").set_value("a" * 40 + "b").run())
    assert "own tokenizer failed on it" in texts(app)
    ok(app.text_input(key="source").set_value("The fox").run())
