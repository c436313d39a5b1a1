"""The guide for Python users prints the outputs it shows, and names every function."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.browsing import ROOT
from tests.guides import blocks_of, differences, run_block
from tests.loupe.test_effects import save_gpt2

PAGE = ROOT / "docs" / "python.md"
GUIDE = PAGE.read_text("utf-8").split("\n## The model itself\n")[0]
BLOCKS = blocks_of(PAGE.read_text("utf-8"))


def test_the_guide_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # one block saves a run
    names: dict[str, Any] = {}
    shown = [block for block in BLOCKS if block.shown is not None]
    assert len(shown) > 7
    for block in shown:
        said = run_block(block.code, names, PAGE)
        assert differences(said, block.shown or "") == []


def test_the_guide_names_what_there_is() -> None:
    import loupe

    named = set(re.findall(r"loupe\.(\w+)\(", GUIDE))
    assert named == {name for name in loupe.__all__ if name.islower()} - {"write"}  # an old name
    assert all(callable(getattr(loupe, name)) for name in named)


def test_the_notebook_runs_and_is_what_the_guide_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = json.loads((ROOT / "docs" / "ioi.ipynb").read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (guide,) = [block for block, _ in BLOCKS if "loupe.path_patch(model" in block]
    assert "\n".join(code).split() == guide.split()
    assert not any(cell.get("outputs") for cell in cells)
    save_gpt2(tmp_path / "gpt2")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    said = StringIO()
    with redirect_stdout(said):
        for cell in code:
            exec(compile(cell, "ioi.ipynb", "exec"), names)
    assert names["states"].labels[1][-1] == "␣to"
    assert names["heads"].values.shape == names["quick"].values.shape
    assert "decoder.layers.1.self_attn.heads" in said.getvalue()
    (pairs,) = [block for block, _ in BLOCKS if "corrupts = " in block]
    with redirect_stdout(StringIO()):
        exec(compile(pairs, "python.md", "exec"), names)
    assert names["mean"].values.shape == names["heads"].values.shape
