import pytest
from streamlit.testing.v1 import AppTest

from tests.checkpoints import write_carrying
from tests.pages import open_app, sent
from texts import say_of


@pytest.fixture(scope="module")
def carrying(tmp_path_factory):
    return write_carrying(tmp_path_factory.mktemp("carrying"))


@pytest.fixture(autouse=True)
def _carrying(carrying, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(carrying))


def shown(source: str, **query: str) -> str:
    return said(open_app(source=source, **query))


def said(app: AppTest) -> str:
    bodies = [element.proto.body for element in app.get("html")]
    return " ".join(body for body in bodies if "<style>" not in body)


@pytest.mark.slow
def test_a_word_that_is_carried_over_is_told_and_marked():
    page = shown("The laptop is broken.")
    assert "“laptop” is new to the model, which copies it unchanged" in page
    assert "unknown to this model" not in page
    assert 'le <span class="loupe-carried" title="copied unchanged, as a masculine' in page
    assert ">laptop</span> est cassé." in page


@pytest.mark.slow
def test_of_words_that_stay_unknown_it_is_told_why():
    app = open_app(source="the laptop is not snowboard .")
    page = said(app)
    assert "The model has never seen “snowboard”, so its text may be nonsense:" in page
    [marked] = sent(app, "typing")
    assert marked["unknown"] == [[18, 27]]
    assert marked["carried"] == [[4, 10]]
    assert "The model can copy names, numbers and nouns, but not new verbs or adjectives." in page
    assert app.button(key="offer_0").label  # offers a sentence that works


@pytest.mark.slow
def test_a_given_target_may_have_the_words_of_its_source():
    assert "unknown" not in shown("the laptop is broken .", target="le laptop est cassé .")
    page = shown("the laptop is broken .", target="le kettle est cassé .")
    assert "Target words unknown to this model, read as &lt;unk&gt;: 1" in page
    assert "Unknown verbs" not in page


def check(text):  # AppTest runs only this source: no annotations, imports inside
    from viz.frame.bar import Side
    from viz.frame.messages import check_texts
    from viz.models import listing, opening
    from viz.run.record import encode_typed

    [name] = listing.listed_names()
    read = encode_typed(opening.read_info(name), text)
    assert check_texts(name, Side("source", text, read), Side("target", "", None))


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Attention is all you need.", "title"),
        ("attention is all you need", "title"),
        ("The trophy doesn't fit in the suitcase because it's too small.", "trophy"),
        ("The trophy is old.", None),
        ("All you need is attention.", None),
    ],
)
def test_of_a_sentence_that_many_try_it_is_said_that_it_goes_beyond_the_model(typed, name):
    page = said(AppTest.from_function(check, kwargs={"text": typed}).run())
    told = {each: say_of("frame.beyond", each) in page for each in ("title", "trophy")}
    assert told == {each: each == name for each in told}
