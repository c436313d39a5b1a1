import pytest

from loupe import command


@pytest.fixture
def ran(monkeypatch):
    """What the command runs: is kept instead of done."""
    found = []
    monkeypatch.setattr(command, "_run", lambda arguments, **_: found.append(arguments) or 0)
    monkeypatch.setattr(
        command, "show_window", lambda options, **named: found.append((options, named)) or 0
    )
    for name in ("LOUPE_MODELS", "LOUPE_KEPT"):
        monkeypatch.setenv(name, "before")
    return found


def test_options_of_streamlit_keep_what_is_given_to_them(ran):
    assert command.main(["app", "--server.port", "8600", "--server.headless=true"]) == 0
    [arguments] = ran
    assert arguments[-3:] == ["--server.port", "8600", "--server.headless=true"]


def test_a_folder_comes_first(ran, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    command.main(["app", "mine", "--window", "--theme.base", "dark"])
    assert ran == [(["--theme.base", "dark"], {"browser": None})]
    assert command.os.environ["LOUPE_MODELS"] == str(tmp_path / "mine")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "say what to do"),
        (["app", "nowhere"], "nowhere is no folder"),
        (["app", "--browser", "x"], "--browser is for --window"),
        (["app", "--window", "--server.port", "1"], "leave --server.port out"),
    ],
)
@pytest.mark.usefixtures("ran")
def test_what_cannot_be_is_said_in_a_sentence(asked, said, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(asked)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_corpus_is_handed_on_as_it_is(ran):
    command.main(["corpus", "digits-paper", "--help"])
    assert ran == [["-m", "viz.corpus", "digits-paper", "--help"]]
