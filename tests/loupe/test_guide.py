"""The guide of those who use Loupe from Python prints what it says, and names what there is."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.browsing import ROOT
from tests.loupe.test_effects import save_gpt2

GUIDE = (ROOT / "docs" / "python.md").read_text("utf-8").split("\n## The model itself\n")[0]
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_guide_prints_what_it_says() -> None:
    (kind, code), (_, printed) = BLOCKS[:2]
    assert kind == "python"
    said = StringIO()
    with redirect_stdout(said):
        exec(compile(code, "python.md", "exec"), {})
    assert said.getvalue() == printed


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
    (guide,) = [block for _, block in BLOCKS if "loupe.path_patch(model" in block]
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
    (pairs,) = [block for _, block in BLOCKS if "corrupts = " in block]
    with redirect_stdout(StringIO()):
        exec(compile(pairs, "python.md", "exec"), names)
    assert names["mean"].values.shape == names["heads"].values.shape


def test_the_other_blocks_of_models_of_loupe_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # one of them saves a run
    until = GUIDE.index("## In a notebook")
    own = [code for kind, code in BLOCKS if kind == "python" and GUIDE.index(code) < until]
    last = next(code for _, code in BLOCKS if "induction_scores" in code)
    names: dict[str, Any] = {}
    said = StringIO()
    with redirect_stdout(said):
        for block in (*own, last):
            exec(compile(block, "python.md", "exec"), names)
    assert "True\n" in said.getvalue()
    assert "2 heads do this by the rule" in said.getvalue()
