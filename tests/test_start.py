import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import start
import start_options
import start_pip
import start_torch
from tests.model.foreign.hub.entries import write_entry


@pytest.fixture(autouse=True)
def _no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOUPE_MODELS", "before")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Copy the files that `start.py` needs to read its options, without installing anything."""
    folder = tmp_path_factory.mktemp("fresh")
    for path in start.HERE.glob("start*.py"):
        shutil.copy(path, folder)
    shutil.copytree(start.HERE / "loupe", folder / "loupe")
    return folder


def ask(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with a Python that finds only its standard library."""
    wide = {"COLUMNS": "100"}
    command = [sys.executable, "-S", str(folder / "start.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | wide)


@pytest.mark.parametrize(
    ("asked", "parser"),
    [
        (["--help"], start_options.app_parser),
        (["-h"], start_options.app_parser),
        (["--window", "--server.port", "1", "--help"], start_options.app_parser),
        (["test", "--help"], start_options.test_parser),
        (["test", "-h", "--quick"], start_options.test_parser),
    ],
)
def test_the_help_lists_every_option_and_installs_nothing(asked, parser, fresh):
    done = ask(fresh, *asked)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    listed = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*(?![\w.-])", done.stdout))
    assert set(parser()._option_string_actions) <= listed
    assert not (fresh / ".venv").exists()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("--widow", "--widow is not an option of this command; did you mean --window?"),
        ("--model mine", "--model is not an option of this command; did you mean --models?"),
        ("--server.port 1 --loked", "--loked is not an option of this command; did you mean"),
        ("-x", "-x is not an option of this command; python3 start.py --help lists"),
        ("tset", "tset is not an argument of this command; did you mean test?"),
        ("--server.port=1 mine", "mine is not an argument of this command"),
        ("--fetch", "--fetch needs the name of a model"),
        ("--fetch=", "--fetch needs the name of a model"),
        ("--fetch --window", "--fetch needs the name of a model"),
        ("--torch-index", "--torch-index needs the address of an index"),
        ("--atlas", "--atlas needs an existing folder"),
        ("--yes", "--yes needs --fetch"),
        ("--browser x", "--browser needs --window"),
        ("--window --server.port 1", "omit --server.port"),
    ],
)
def test_an_option_that_cannot_be_is_reported_and_installs_nothing(asked, said, fresh):
    done = ask(fresh, *asked.split())
    assert done.returncode == 2
    assert said in done.stderr
    assert not (fresh / ".venv").exists()


def name_folders(*asked: str) -> list[str]:
    """Read the options, pass their folders to the app, and return those for Streamlit."""
    options, left = start_options.read_options(list(asked))
    start.name_folders(options.models, options.atlas)
    return left


@pytest.mark.parametrize("together", [True, False])
def test_a_folder_of_models_is_told_to_the_app(together, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    asked = ["--models=mine"] if together else ["--models", "mine"]
    left = name_folders("--server.port", "1", *asked, "--server.headless", "true")
    assert left == ["--server.port", "1", "--server.headless", "true"]
    assert Path(os.environ["LOUPE_MODELS"]) == tmp_path / "mine"


@pytest.mark.parametrize("name", ["--atlas", "--models"])
def test_a_folder_that_is_not_there_is_said_at_once(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    for folder in ("nowhere", "/no/where"):
        with pytest.raises(SystemExit, match=f"{name} needs an existing folder, got {folder}"):
            name_folders(name, folder)


@pytest.mark.parametrize("asked", [["--models"], ["--models="], ["--models", "--window"]])
def test_without_a_folder_the_hugging_face_cache_is_listed(asked, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(SystemExit, match=r"your Hugging Face cache .* does not exist"):
        name_folders(*asked)
    (tmp_path / "hub").mkdir()
    assert name_folders(*asked) == []
    assert Path(os.environ["LOUPE_MODELS"]) == tmp_path / "hub"


def test_a_model_of_the_cache_is_listed_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    path = write_entry(tmp_path, "org/name")
    name_folders("--models", "org/name")
    assert Path(os.environ["LOUPE_MODELS"]) == path
    with pytest.raises(SystemExit, match=r"got name\. .* it has org/name.*start.py --fetch name"):
        name_folders("--models", "name")


def test_a_model_is_fetched_before_the_app_starts_with_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(start, "install", lambda *_, **__: None)
    monkeypatch.setattr(start, "become", lambda *command: called.append(command) or 0)
    monkeypatch.setattr(start, "run", lambda *command: called.append(command) or status)
    called, status = [], 1
    assert start.main(["--fetch", "org/name", "--yes"]) == 1
    assert called == [("python", "-m", "loupe", "fetch", "--yes", "--", "org/name")]
    path, status = write_entry(tmp_path, "org/name"), 0
    (tmp_path / "mine").mkdir()
    assert start.main(["--models", str(tmp_path / "mine"), "--fetch=org/name"]) == 0
    assert called[1:] == [
        ("python", "-m", "loupe", "fetch", "--", "org/name"),
        ("streamlit", "run", "app.py"),
    ]
    assert os.environ["LOUPE_MODELS"].split(os.pathsep) == [str(path), str(tmp_path / "mine")]


def test_atlases_may_be_in_a_bucket(monkeypatch):
    monkeypatch.setenv("LOUPE_ATLAS", "")
    assert name_folders("--atlas", "s3://bucket/atlas") == []
    assert os.environ["LOUPE_ATLAS"] == "s3://bucket/atlas"
    with pytest.raises(SystemExit, match="--models needs an existing folder"):
        name_folders("--models", "s3://bucket/models")


def test_without_it_nothing_is_changed():
    assert name_folders("--server.port", "1") == ["--server.port", "1"]
    assert os.environ["LOUPE_MODELS"] == "before"


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """Prepare a folder with nothing installed; record the calls of pip instead of running it."""
    for name in ("requirements.txt", "requirements-dev.txt"):
        shutil.copy(start.HERE / name, tmp_path)
    called = []
    monkeypatch.setattr(start, "HERE", tmp_path)
    monkeypatch.setattr(start, "ENVIRONMENT", tmp_path / ".venv")
    monkeypatch.setattr(start, "PROGRAMS", tmp_path / ".venv" / "bin")
    monkeypatch.setattr(start_pip, "run_pip", lambda *asked: called.append(asked) or 0)
    lists = ["a.lock", "b.lock"], "2.13.0"
    monkeypatch.setattr(start_torch, "locks", lambda *_: lists)
    monkeypatch.setattr(start_torch, "choose_index", lambda asked, *_: (asked, ""))
    pip = tmp_path / ".venv" / "bin" / "pip"
    pip.parent.mkdir(parents=True)
    pip.touch(mode=0o700)
    return called


def test_an_older_python_reads_all_of_it_and_evaluates_imports_alone():
    tree = ast.parse(Path(start.__file__).read_text(), feature_version=(3, 6))
    looks = next(n for n, statement in enumerate(tree.body) if isinstance(statement, ast.If))
    _docstring, *first = tree.body[:looks]
    assert all(isinstance(statement, ast.Import | ast.ImportFrom) for statement in first)
    assert "__future__" not in ast.unparse(first)  # 3.6 lacks `annotations` in `__future__`


def test_an_older_python_is_told_which_is_needed(monkeypatch, capsys):
    version = "3.6.15"
    monkeypatch.setattr(sys, "version", f"{version} (main)")
    monkeypatch.setattr(sys, "version_info", tuple(map(int, version.split("."))))
    with pytest.raises(SystemExit) as ended:
        exec(compile(Path(start.__file__).read_text(), "start.py", "exec"), {"__name__": "start"})
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said == f"Loupe needs Python 3.11 or newer; this is {version}.\n"


def test_an_environment_that_was_left_half_made_is_made_again(bare, monkeypatch):
    (start.PROGRAMS / "pip").unlink()
    monkeypatch.setattr(start.venv, "create", lambda *asked, **how: made.append((asked, how)))
    made = []
    start.install("requirements.txt")
    assert made == [((start.ENVIRONMENT,), {"clear": True, "with_pip": True})]
    assert len(bare) == 1


@pytest.mark.usefixtures("bare")
def test_a_folder_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    (tmp_path / "sealed").touch()
    monkeypatch.setattr(start, "ENVIRONMENT", tmp_path / "sealed" / ".venv")
    monkeypatch.setattr(start, "PROGRAMS", start.ENVIRONMENT / "bin")
    with pytest.raises(SystemExit, match=r"sealed/\.venv cannot be made: Not a directory"):
        start.install("requirements.txt")


def test_the_plain_command_asks_for_no_hash_and_no_other_index(bare, tmp_path):
    start.install("requirements.txt")
    [(_, site, options, expected)] = bare
    assert site.is_relative_to(tmp_path)
    assert options == [f"--requirement={tmp_path / 'requirements.txt'}"]
    assert expected is None  # the folder has no lock file to count
    start.install("requirements.txt")
    assert len(bare) == 1


def test_an_index_and_the_lock_are_taken_when_they_are_named(bare, tmp_path):
    start.install("requirements.txt", index="there", locked=True)
    besides = ["--extra-index-url", "there"]
    lists = [f"--requirement={tmp_path / name}" for name in ("a.lock", "b.lock")]
    [(_, _, options, _)] = bare
    assert options == ["--require-hashes", *besides, *lists]


def test_the_index_that_was_chosen_decides_size_and_lock(bare, monkeypatch, capsys):
    monkeypatch.setattr(start.sys, "platform", "linux")
    monkeypatch.setattr(start_torch, "choose_index", lambda *_: ("the-cpu-one", "this is why"))
    monkeypatch.setattr(start_torch, "locks", lambda *asked: locked.append(asked) or ([], "b"))
    locked = []
    start.install("requirements.txt", locked=True)
    said = capsys.readouterr().err
    assert "loupe: this is why\n" in said
    assert "about 0.4 GB to download, about 3 minutes" in said
    [(_, besides, torch)] = locked
    assert besides == ["--extra-index-url", "the-cpu-one"]
    assert torch.startswith("torch==")
    assert bare[0][2][1:3] == besides


@pytest.mark.usefixtures("bare")
def test_a_list_that_changed_announces_no_large_download(tmp_path, capsys):
    version = start_torch.pinned_torch(tmp_path / "requirements.txt").removeprefix("torch==")
    (start.site_packages() / f"torch-{version}+cpu.dist-info").mkdir(parents=True)
    start.install("requirements.txt")
    said = capsys.readouterr().err
    assert "installing requirements.txt: the packages that changed\n" in said
    assert "GB" not in said


def test_what_comes_too_late_is_said(bare, capsys):
    start.install("requirements.txt")
    start.install("requirements.txt", index="there")
    assert "delete .venv" in capsys.readouterr().err
    assert len(bare) == 1


@pytest.mark.usefixtures("bare")
def test_what_could_not_be_fetched_is_said(monkeypatch, capsys):
    monkeypatch.setattr(start_pip, "run_pip", lambda *_: 1)
    for locked, said in ((True, "without --locked"), (False, "needs a network")):
        with pytest.raises(SystemExit):
            start.install("requirements.txt", locked=locked)
        assert said in capsys.readouterr().err


def test_the_server_or_the_window_takes_the_place_of_the_command(monkeypatch):
    """Because of this, ending the command ends the server."""
    monkeypatch.setattr(start, "install", lambda *_, **options: installed.append(options))
    monkeypatch.setattr(start, "become", lambda *command: became.append(command) or 0)
    installed, became = [], []
    asked = ["--locked", "--torch-index=there", "--window", "--server.fileWatcherType", "auto"]
    assert start.main(asked) == 0
    assert installed == [{"index": "there", "locked": True}]
    app = ("python", "-m", "loupe", "app", "--window")
    assert became == [(*app, "--server.fileWatcherType", "auto")]
    assert start.main(["--window", "--browser", "a browser"]) == 0
    assert became.pop() == (*app, "--browser=a browser")
    assert start.main(["--install", "--locked"]) == 0
    assert installed.pop() == {"index": None, "locked": True}
    assert start.main(["--server.port", "8600"]) == 0
    assert became[1:] == [("streamlit", "run", "app.py", "--server.port", "8600")]
