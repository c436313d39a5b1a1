import pytest
import torch
from streamlit.testing.v1 import AppTest

from model.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from sample_data.tasks import TASKS
from tests.checkpoints import BY_HEART, DEFAULT, FIRST
from tests.pages import ok, open_app, sent, texts
from viz.address.selection import FIELDS, default_selection, nearest
from viz.run.making import make_run

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


def typed(source: str) -> AppTest:
    app = ok(open_app().text_input(key="source").set_value(source).run())
    assert app.text_input(key="source").value == source
    return app


def style(app: AppTest) -> str:
    return next(e.proto.body for e in app.get("html") if "<style>" in e.proto.body)


def choose(app: AppTest, checkpoint: str) -> AppTest:
    return ok(app.selectbox(key="checkpoint").set_value(checkpoint).run())


def selection(app: AppTest) -> dict:
    """Return the selection that the pictures in the browser are told to show."""
    return sent(app, "selection")[0]["selection"]


def shown_head(app: AppTest) -> str:
    chosen = selection(app)
    return f"{chosen['kind']} L{chosen['layer']} H{chosen['head']}"


def is_drawn(app: AppTest) -> bool:
    return bool(sent(app, "start"))


def written(app: AppTest) -> str:
    """Return the translation of the sentence in view."""
    return sent(app, "run")[0]["meta"]["told"]["sentence"].strip()


@pytest.mark.slow
def test_starts_with_the_first_example_and_the_reading_that_says_most(tiny_checkpoints):
    app = open_app()
    assert app.text_input(key="source").value == FIRST
    assert "l'animal n'a pas traversé la rue" in written(app)
    run = make_run(load_checkpoint(tiny_checkpoints / "everyday-paper"), DEFAULT)
    shown = selection(app)
    assert {name: shown[name] for name in FIELDS} == default_selection(run).to_dict()
    assert shown["kind"] == "encoder self-attention"
    assert is_drawn(app)
    assert "2 + 2 layers, 4 heads" in texts(app)
    assert "on CPU" in texts(app)
    for key in ("checkpoint", "source", "target"):  # only the user's own choices are kept
        assert isinstance(app.session_state[key], str)
    for texts_of_one in app.session_state["address"].said.values():
        assert all(isinstance(text, str) for text in texts_of_one)


def test_asks_for_a_sentence_when_there_is_none():
    app = open_app()
    for empty in ("", "\u200b\x00"):
        ok(app.text_input(key="source").set_value(empty).run())
        assert "Type a sentence" in texts(app)
        assert not is_drawn(app)
    ok(app.button(key="offer_0").click().run())
    assert app.text_input(key="source").value == FIRST
    assert is_drawn(app)


def test_marks_unknown_words_and_replaces_them_at_a_click():
    app = typed("the catt sleeps .")
    assert "<mark>catt</mark>" in texts(app)
    assert is_drawn(app)
    ok(app.button(key="replace_source_0_cat").click().run())
    assert app.text_input(key="source").value == "the cat sleeps ."
    assert "<mark" not in texts(app)
    assert written(app) == "le chat dort."


@pytest.mark.slow
def test_says_how_long_a_source_may_be():
    assert "14 of at most 512 tokens" in texts(open_app())
    app = typed("cat " * 512)
    assert "This text has 513 tokens" in texts(app)
    assert not is_drawn(app)
    assert is_drawn(typed("cat " * 511))


def test_refuses_a_text_for_its_characters_and_keeps_it_in_its_field():
    app = typed("a" * 20_001)
    assert "This text has more than 20,000 characters" in texts(app)
    assert not is_drawn(app)
    ok(app.button(key="offer_0").click().run())
    assert is_drawn(app)
    ok(app.text_input(key="target").set_value("a" * 20_001).run())
    assert "This target is too long" in texts(app)
    assert not is_drawn(app)


def test_a_link_with_an_endless_text_is_cut_and_said():
    app = open_app(source="a" * 150_000)
    assert app.text_input(key="source").value == "a" * 100_000
    assert "This text has more than 20,000 characters" in texts(app)
    assert not is_drawn(app)


@pytest.mark.slow
def test_shows_any_text_literally_and_not_at_any_length():
    app = open_app()
    for hostile in (
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)> cat",
        "**bold** `code` $x^2$ [a](http://b) :smile: # h",
        "🐈‍⬛ 👩‍👩‍👧 cat القط ينام cat\u202e\u0007\x00 sleeps a\\b \\frac{1}{2}",
        "x" * 10_000,
        "🐈" * 10_000,
        "the cat " * 1_250,
    ):
        ok(app.text_input(key="source").set_value(hostile).run())
        assert app.text_input(key="source").value == hostile
        assert "<script" not in texts(app)
        assert "<img" not in texts(app)
        assert len(texts(app)) < 40_000


@pytest.mark.slow
def test_another_task_brings_its_own_example_but_never_drops_what_was_typed():
    app = open_app()
    choose(app, "digits-paper")
    assert app.text_input(key="source").value == TASKS["digits"].examples[0]
    assert app.text_input(key="source").label == "Command source"
    app = typed("my own words")
    choose(app, "digits-paper")
    assert app.text_input(key="source").value == "my own words"


@pytest.mark.slow
def test_each_task_has_its_latest_texts_again():
    app = ok(typed("the cat sleeps .").text_input(key="target").set_value("le chat .").run())
    choose(app, "digits-paper")
    ok(app.text_input(key="source").set_value("copy 1 2").run())
    ok(app.text_input(key="target").set_value("").run())
    choose(app, "everyday-headlist")
    assert app.text_input(key="source").value == "the cat sleeps ."
    assert app.text_input(key="target").value == "le chat ."
    choose(app, "digits-paper")
    assert app.text_input(key="source").value == "copy 1 2"
    assert app.text_input(key="target").value == ""


def test_a_link_says_it_all():
    chosen = {"kind": "decoder self-attention", "layer": 0, "head": 3, "query": 2, "key": 1}
    link = {name: str(value) for name, value in (chosen | {"step": 3}).items()}
    app = open_app(checkpoint="everyday-headlist", source="the cat sleeps .", **link)
    assert {name: selection(app)[name] for name in chosen} == chosen
    assert {name: app.query_params[name] for name in link} == link
    assert written(app) == "le chat dort."
    assert not app.warning


@pytest.mark.parametrize(
    ("query", "shown", "said"),
    [
        ({"layer": "9"}, "cross-attention L1 H2", "layer 9; here the numbers run from 0 to 1"),
        ({"head": "-3"}, "cross-attention L1 H0", "head \\-3; here the numbers run from 0 to 3"),
        ({"layer": "x"}, "cross-attention L1 H2", "layer x; here the numbers run from 0 to 1"),
        ({"head": "9" * 5000}, "cross-attention L1 H3", "here the numbers run from 0 to 3"),
        ({"kind": "nonsense"}, "cross-attention L1 H2", "asks for nonsense"),
        ({"query": "99", "key": "1"}, "cross-attention L1 H2", "here the numbers run from 0 to 15"),
        ({"checkpoint": "gone"}, None, "No checkpoint is called gone"),
    ],
)
def test_a_bad_link_shows_the_nearest_and_says_so(query, shown, said):
    app = open_app(**query)
    assert shown_head(app) == (shown or shown_head(open_app()))
    assert said in app.warning[0].value.replace("\\.", ".")


def test_a_given_target_is_forced_and_its_unknown_words_are_marked():
    app = open_app(target="le chat dort .")
    assert written(app) == "le chat dort."
    app = ok(app.text_input(key="target").set_value("le chien dortt .").run())
    assert "Target words unknown to this model" in texts(app)
    ok(app.button(key="replace_target_0_dort").click().run())
    assert app.text_input(key="target").value == "le chien dort ."
    ok(app.button(key="drop_target").click().run())
    assert app.text_input(key="target").value == ""
    assert "l'animal" in written(app)
    ok(app.button(key="give_gold").click().run())
    assert app.text_input(key="target").value == BY_HEART[DEFAULT]


def test_another_sentence_keeps_the_head_and_a_cell_that_means_the_same():
    app = open_app(query="0", key="0", head="1", layer="0", kind="encoder self-attention")
    ok(app.text_input(key="source").set_value("the animal crossed the street .").run())
    assert not app.warning
    assert (selection(app)["query"], selection(app)["key"]) == (0, 0)
    assert shown_head(app) == "encoder self-attention L0 H1"


def test_a_wholly_other_sentence_has_the_cell_of_the_head_that_is_most_worth_seeing(
    tiny_checkpoints,
):
    app = open_app(query="0", key="13", head="1", layer="0", kind="encoder self-attention")
    ok(app.text_input(key="source").set_value("the cat sleeps .").run())  # both begin with "the"
    assert shown_head(app) == "encoder self-attention L0 H1"
    run = make_run(load_checkpoint(tiny_checkpoints / "everyday-paper"), "the cat sleeps .")
    asked = {"kind": "encoder self-attention", "layer": 0, "head": 1}
    wanted, _ = nearest(run, asked, moved=True)
    assert (selection(app)["query"], selection(app)["key"]) == (wanted.query, wanted.key)
    assert wanted.query != 0  # "the" has position 0 in both


def test_a_cell_of_the_sentence_before_that_arrives_late_is_not_taken_for_one_of_this():
    app = open_app()
    app.session_state["address"].said |= {"query": ["1"], "key": ["1"]}
    made = app.session_state["selection_made"]
    app.session_state["selection_made"] = made._replace(run="another")
    ok(app.run())
    default = selection(open_app())
    assert (selection(app)["query"], selection(app)["key"]) == (default["query"], default["key"])


def test_presenter_mode_enlarges_and_can_be_left():
    app = open_app(presenter="true")
    normal, enlarged = style(open_app()), style(app)
    assert "Presenter mode" in enlarged
    ok(app.button(key="leave_presenter").click().run())
    assert style(app) == normal


def test_says_how_to_get_a_checkpoint_where_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path / "nowhere"))
    app = open_app()
    assert "No trained model here yet" in texts(app)
    assert "python -m sample_data.train everyday" in app.code[0].value


@pytest.mark.slow
def test_a_broken_checkpoint_leaves_the_others_to_choose(own_checkpoints):
    broken = own_checkpoints / "everyday-paper.json"
    broken.write_text("{")
    app = open_app()
    assert "cannot be used" in texts(app)
    assert "not JSON" in texts(app)
    choose(app, "everyday-headlist")
    assert is_drawn(app)


@pytest.mark.slow
def test_a_model_that_computes_no_numbers_is_refused_in_words(own_checkpoints):
    path = own_checkpoints / "everyday-paper"
    checkpoint = load_checkpoint(path)
    with torch.no_grad():
        checkpoint.model.source_embedding.weight.fill_(3e38)
    save_checkpoint(path, checkpoint.model, checkpoint.info, half=False)
    app = open_app(checkpoint="everyday-paper")
    assert "overflows (infinity or NaN)" in texts(app)
    choose(app, "everyday-headlist")
    assert is_drawn(app)


@pytest.mark.slow
def test_a_checkpoint_that_vanishes_in_use_is_named_and_another_is_shown(own_checkpoints):
    app = open_app(checkpoint="digits-paper", lang="fr")
    for suffix in (".json", ".safetensors"):
        (own_checkpoints / f"digits-paper{suffix}").unlink()
    ok(app.run())
    assert is_drawn(app)
    assert app.session_state["checkpoint"] != "digits-paper"
    assert "Aucun modèle ne s’appelle digits" in app.warning[0].value


@pytest.mark.slow
def test_a_model_that_was_kept_can_be_explored(own_checkpoints, monkeypatch):
    kept = own_checkpoints / "kept"
    kept.mkdir()
    for suffix in (".json", ".safetensors"):
        (own_checkpoints / f"digits-paper{suffix}").rename(kept / f"digits-paper{suffix}")
    monkeypatch.setenv("LOUPE_KEPT", str(kept))
    app = open_app(checkpoint="digits-paper")
    title = app.selectbox(key="checkpoint").options[-2]
    assert title == "Yours · Digits: copy, reverse, sort, paper"
    assert app.text_input(key="source").label == "Command source"
    assert is_drawn(app)
