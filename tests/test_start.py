import os
from pathlib import Path

import pytest

import start


@pytest.fixture(autouse=True)
def _no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOUPE_MODELS", "before")


@pytest.mark.parametrize("together", [True, False])
def test_a_folder_of_models_is_told_to_the_app(together, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    asked = ["--models=mine"] if together else ["--models", "mine"]
    left = start.take_models(["--server.port", "1", *asked, "--server.headless", "true"])
    assert left == ["--server.port", "1", "--server.headless", "true"]
    assert Path(os.environ["LOUPE_MODELS"]) == tmp_path / "mine"


@pytest.mark.parametrize("asked", [["--models"], ["--models="], ["--models", "nowhere"]])
def test_a_folder_that_is_not_there_is_said_at_once(asked):
    with pytest.raises(SystemExit, match="--models needs a folder that is there"):
        start.take_models(asked)


def test_without_it_nothing_is_changed():
    assert start.take_models(["--server.port", "1"]) == ["--server.port", "1"]
    assert os.environ["LOUPE_MODELS"] == "before"
