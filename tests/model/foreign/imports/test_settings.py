import pytest

from model.foreign.imports.settings import ACTIVATIONS, Settings
from model.traces import present


def said(call) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        call()
    return str(caught.value)


def test_fields_are_read_by_their_type():
    settings = Settings(
        {
            "n": 3,
            "eps": 1,
            "on": True,
            "act": "gelu_new",
            "part": {"x": 2},
            "l": ["a"],
            "none": None,
        }
    )
    assert settings.whole("n") == 3
    assert settings.whole("absent", 7) == settings.whole("none", 7) == 7
    assert settings.number("eps") == 1.0
    assert settings.flag("on")
    assert settings.choice("act", ACTIVATIONS) == "gelu_tanh"
    assert settings.part("part").whole("x") == 2
    assert settings.part("absent") is None
    assert settings.words("l") == ("a",)
    assert settings.words("absent") is None
    assert settings.is_null("none")
    assert not settings.is_null("absent")
    assert not settings.has("none")
    settings.must("absent", False)
    settings.must("on", True)
    settings.refuse_unread()


@pytest.mark.parametrize("value", [True, 0, -1, 2.0, "3", [], {}, 1 << 31, 10**40])
def test_what_is_no_whole_number_is_refused(value):
    assert "n of config.json must be a whole number" in said(
        lambda: Settings({"n": value}).whole("n")
    )


@pytest.mark.parametrize("value", [True, "1", float("nan"), float("inf"), 10**400, [], {}])
def test_what_is_no_number_is_refused(value):
    assert "must be a number" in said(lambda: Settings({"n": value}).number("n"))


@pytest.mark.parametrize("value", [1, 0, "true", []])
def test_what_is_no_flag_is_refused(value):
    assert "must be true or false" in said(lambda: Settings({"n": value}).flag("n"))


@pytest.mark.parametrize("value", ["mish", 3, ["relu"], {}])
def test_unknown_words_are_refused_with_those_known(value):
    message = said(lambda: Settings({"act": value}).choice("act", ACTIVATIONS))
    assert "gelu_new" in message


def test_a_field_can_be_held_to_one_value():
    message = said(lambda: Settings({"cross": True}).must("cross", False))
    assert "cross of config.json must be false, got True" in message
    assert "must be absent" in said(lambda: Settings({"kinds": ["a"]}).must("kinds"))
    assert said(lambda: Settings({"cross": 0}).must("cross", False))


def test_missing_fields_are_named():
    assert said(lambda: Settings({}).whole("n_embd")) == "config.json needs n_embd"
    assert Settings({"rope": {}}).part("rope") is None
    inner = present(Settings({"rope": {"base": 1}}).part("rope"))
    assert said(lambda: inner.number("factor")) == "rope of config.json needs factor"
    assert "must be an object" in said(lambda: Settings({"rope": 3}).part("rope"))
    assert "list of strings" in said(lambda: Settings({"l": ["a", 1]}).words("l"))


def test_what_nobody_asked_for_may_not_change_the_numbers():
    settings = Settings({"sink": 4, "soft_cap": 30.0, "none": None, "off": False, "dropout": 0.1})
    message = said(settings.refuse_unread)
    assert "sets sink, soft_cap, which Loupe does not know" in message
    settings.ignore("sink")
    settings.number("soft_cap")
    settings.refuse_unread()
