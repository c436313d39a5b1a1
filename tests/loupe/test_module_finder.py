import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import loupe
from loupe.module_finder import FOLDERS, HOME, module_name
from tests.browsing import ROOT

BESIDE = "raise SystemExit('the model of someone else was imported')"
SCRIPT = """
import sys
from importlib import import_module
import loupe
for name in ("viz.pages", "sample_data.train"):
    import_module(f"loupe._app.{name}")
run = loupe.trace(loupe.load("digits-paper"), "1 2 3")
print(run.text)
print(*(name for name in FOLDERS if name in sys.modules))
print(type(run.record).__module__)
from loupe.model.traces import TransformerTrace
print(type(run.record) is TransformerTrace)
import model
"""


def test_in_the_repository_there_is_one_of_each_module() -> None:
    from model.checkpoints.checkpoint import Checkpoint

    assert HOME == ROOT
    assert module_name("model.checkpoints.checkpoint") == "model.checkpoints.checkpoint"
    assert isinstance(loupe.load("digits-paper"), Checkpoint)
    public = import_module("loupe.model.checkpoints.checkpoint")
    assert public.Checkpoint is Checkpoint
    assert public.__name__ == public.__spec__.name == "model.checkpoints.checkpoint"


@pytest.mark.slow
def test_beside_another_model_its_own_is_used_and_the_other_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(BESIDE)
    (tmp_path / "script.py").write_text(SCRIPT.replace("FOLDERS", repr(FOLDERS)))
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    text, there, module, one = done.stdout.splitlines()
    assert one == "True"
    assert text == "3 2 1"
    assert there == ""
    assert module == "loupe._app.model.traces"
    assert done.stderr.strip() == BESIDE.split("'")[1]
