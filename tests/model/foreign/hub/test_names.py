import pytest

from model.foreign.hub.names import HubError, is_revision, read_name, repo_of


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("gpt2", "gpt2"),
        (" openai-community/gpt2\n", "openai-community/gpt2"),
        ("org/na.me_1@v1.0", "org/na.me_1@v1.0"),
        ("org/name@refs/pr/3", "org/name@refs/pr/3"),
        ("https://huggingface.co/org/name", "org/name"),
        ("https://huggingface.co/org/name/tree/main?x=1#y", "org/name@main"),
        ("http://hf.co/gpt2/", "gpt2"),
    ],
)
def test_a_name_or_the_address_of_a_page_is_read(typed, said):
    assert str(read_name(typed)) == said


@pytest.mark.parametrize(
    "typed",
    [
        "", "/", "a/b/c", "../x", "a/..", "..", ".", "-a/b", "a/-b", "a/.b", "a/b.", "a--b/c",
        "a..b", "a/b.git", "a b/c", "a\\b", "C:\\x", "a/b\0", "a/b\nc", "é/b", "~/x",
        "/etc/passwd", "a/b@",
        "file:///etc/passwd", "https://example.org/a/b", "a/" + "b" * 97, "%2e%2e/x",
        "a:b", "<b>/x",
    ],
)  # fmt: skip
def test_what_could_lead_elsewhere_is_no_name(typed):
    with pytest.raises(HubError, match="is named org/name"):
        read_name(typed)


@pytest.mark.parametrize(
    "revision",
    ["", "..", "a/../b", "a//b", "/a", "a/", "-x", ".git", "a/.b", "a b", "a\0", "x" * 101],
)
def test_what_could_lead_elsewhere_is_no_revision(revision):
    assert not is_revision(revision)
    with pytest.raises(HubError, match="A revision is a branch"):
        read_name("org/name", revision)


def test_what_is_shown_of_a_wrong_name_is_short_and_plain():
    with pytest.raises(HubError) as raised:
        read_name("\u202e" + "x" * 400)
    assert len(str(raised.value)) < 300
    assert "\u202e" not in str(raised.value)


@pytest.mark.parametrize(
    ("folder", "repo"),
    [
        ("models--gpt2", "gpt2"),
        ("models--org--name", "org/name"),
        ("models--a--b--c", None),
        ("models--", None),
        ("models--..--x", None),
        ("datasets--org--name", None),
        ("org--name", None),
    ],
)
def test_a_folder_of_the_cache_says_of_which_model_it_is(folder, repo):
    assert repo_of(folder) == repo
    if repo:
        assert read_name(repo).folder == folder
