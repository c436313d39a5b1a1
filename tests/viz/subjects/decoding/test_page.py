"""The page Decoding: it reports a link's requests that it cannot fulfil."""

import pytest

from tests.pages import open_page, sent


@pytest.mark.usefixtures("tiny_checkpoints")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("zero", "is unreadable"),
        ("500:2", "a step must be from 0 to"),
        ("1:99999", "a token must be from 0 to"),
    ],
)
def test_a_branch_that_a_link_cannot_have_is_left_out(asked, said):
    page = open_page("decoding", branches=asked)
    assert said in page.warning[0].value
    assert "branches" not in page.session_state["address"].said


@pytest.mark.usefixtures("tiny_checkpoints")
def test_each_reader_is_told_of_the_texts_in_a_language_of_his_own():
    for spoken, names in (("fr", ["anglais", "français"]), ("en", ["English", "French"])):
        page = open_page("decoding", lang=spoken)
        (player,) = sent(page, "decoding_player")
        assert player["languages"] == names
        assert all(name not in str(sent(page, "decoding_path")) for name in names)
