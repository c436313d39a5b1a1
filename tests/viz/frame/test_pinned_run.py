import pytest

from model.interventions.kinds import Intervention
from viz.frame.pinned_run import LONGEST_LINK, read_pin, write_pin
from viz.run.inputs import Inputs

OFF = Intervention("zero", "encoder.layers.0.self_attn.heads", head=1)
PULL = Intervention("point", "decoder.layers.*.cross_attn.weights", rows=(4,), columns=(2,))


@pytest.mark.parametrize("changes", [(), (OFF,), (OFF, PULL)])
def test_a_link_gives_the_run_that_was_pinned(changes):
    inputs = Inputs("paper", "l'été “est” ~là!\n", "<b>", "cpu", changes)
    assert read_pin(write_pin(inputs) or "", "cpu") == inputs


def test_a_run_that_is_too_long_for_a_link_is_not_written():
    assert write_pin(Inputs("paper", "a" * LONGEST_LINK, "", "cpu")) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[",
        "[" * 7000,
        "{}",
        '["a", "b", "c"]',
        '[1, "b", "", ""]',
        '["a", "b", "", "x!y"]',
        "a" * (LONGEST_LINK + 1),
    ],
)
def test_what_is_no_run_is_none(text: str):
    assert read_pin(text, "cpu") is None


def test_lone_surrogates_of_a_link_are_read_as_tokenizers_read_them():
    found = read_pin('["model","a \\ud800","\\udfff",""]', "cpu")
    assert found is not None
    assert (found.source, found.target) == ("a \ufffd", "\ufffd")
