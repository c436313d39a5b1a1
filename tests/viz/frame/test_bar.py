import pytest
from streamlit.testing.v1 import AppTest

from tests.checkpoints import BY_HEART, DEFAULT
from tests.pages import ok, open_app, sent

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


def bar(app: AppTest) -> str:
    """Return what the main area shows before the page begins."""
    bodies = [e.proto.body for e in app.main.get("html") if "<style>" not in e.proto.body]
    return " ".join(bodies[:2])


def test_the_field_and_what_came_out_stand_above_every_page():
    app = open_app(source="the cat sleeps .")
    assert [field.key for field in app.main.text_input][:2] == ["source", "target"]
    assert "source" not in [field.key for field in app.sidebar.text_input]
    assert '<p class="loupe-sentence" dir="auto">le chat dort.</p>' in bar(app)


def test_what_a_model_cannot_know_is_said_before_what_it_wrote():
    said = bar(open_app(source="the gnu sleeps , gnu and yak ."))
    assert "has never seen “gnu”, “and” and “yak”, so its text may be nonsense: <q>" in said
    assert '<p class="loupe-sentence"' not in said


def test_a_given_target_is_nobodys_guess():
    app = open_app(source="the gnu sleeps .", target="le chat dort .")
    assert '<p class="loupe-sentence" dir="auto">le chat dort.</p>' in bar(app)
    assert "nonsense" not in bar(app)


def test_punctuation_is_not_unknown():
    app = open_app(source="“The cat” sleeps, (the cat)!")
    assert "nonsense" not in bar(app)
    assert sent(app, "typing")[0]["unknown"] == []


def test_the_target_is_folded_away_until_it_is_given():
    app = open_app()
    assert [block.proto.popover.label for block in app.get("popover")] == ["Give the target"]
    ok(app.button(key="give_gold").click().run())
    assert app.text_input(key="target").value == BY_HEART[DEFAULT]
    assert not app.get("popover")
    assert app.query_params["target"] == BY_HEART[DEFAULT]
    ok(app.button(key="drop_target").click().run())
    assert app.get("popover")


def test_the_browser_gets_the_words_of_the_model_once_with_their_parts_of_speech():
    [told] = sent(open_app(), "words")
    vocabulary = dict(zip(told["words"], (told["names"][i] for i in told["parts"]), strict=True))
    assert vocabulary["cat"] == "noun"
    assert vocabulary["sees"] == "verb"
    assert vocabulary["tired"] == "adjective"
    assert vocabulary["."] == "punctuation"
    assert set(vocabulary) == {word for text in BY_HEART for word in text.split()}
    assert (told["whole"], told["carries"]) == (True, False)


@pytest.mark.parametrize("source", ["", "cat " * 600])
def test_nothing_is_said_to_come_out_where_nothing_can_be_run(source):
    app = open_app()
    assert "loupe-sentence" in bar(app)
    ok(app.text_input(key="source").set_value(source).run())
    bodies = " ".join(e.proto.body for e in app.get("html") if "<style>" not in e.proto.body)
    assert "loupe-sentence" not in bodies
    assert "loupe-reading" not in bodies
    assert not sent(app, "heads")


def test_in_presenter_mode_the_pages_are_at_hand():
    assert not sent(open_app(), "places")[0]["turns"]
    [told] = sent(open_app(presenter="true"), "places")
    assert told["turns"]
    assert [url for url, _ in told["pages"]].count(told["current"]) == 1
    assert ["masks", "Masks"] in told["pages"]
