"""Loupe's core, for scripts and notebooks, works without the packages of the app."""

import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from tests.browsing import ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
MODULES = {"scikit-learn": "sklearn"}
HIDDEN = sorted(
    MODULES.get(Requirement(one).name, Requirement(one).name)
    for extra in ("app", "bertviz", "notebook")
    for one in EXTRAS[extra]
)

SCRIPT = f"""
import sys

for name in {HIDDEN!r}:
    sys.modules[name] = None

import loupe

TEXT = "the animal did not cross the street because it was too tired ."
OTHER = "the animal did not cross the street because it was too wide ."
model = loupe.load("everyday-paper-0")
run = loupe.trace(model, TEXT)
assert "<svg" in run.html() or "<canvas" in run.html() or "<script" in run.html()
assert run._repr_mimebundle_()
prefix = "l'animal n'a pas traversé la rue parce qu'"
assert loupe.patch(model, TEXT, OTHER, ("il", "elle"), of="heads", target=prefix).html()
assert loupe.lens(model, run).top(1)
print(loupe.models())
try:
    loupe.explore(model)
except ImportError as error:
    assert "loupe-transformer[app]" in str(error), error
else:
    raise AssertionError("the app ran without its packages")
"""


@pytest.mark.slow
def test_runs_and_pictures_need_no_package_of_the_app() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_the_command_names_the_missing_packages() -> None:
    script = (
        "import sys; sys.modules['streamlit'] = None; import importlib.util as u; "
        "u.find_spec = lambda name: None; "
        "from loupe.command import main; main(['app'])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ended.returncode == 1
    assert "pip install 'loupe-transformer[app]'" in ended.stderr
