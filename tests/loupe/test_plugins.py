"""Plug-ins of installed packages: one of each kind in use, faulty ones, and the promised API."""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args

import pytest

from loupe import plugins
from model import plugins as finding
from model.interventions.plugged import HOOKS
from model.plugins import Group
from tests.browsing import ROOT
from tests.loupe.plugged.distributions import install

GUIDE = ROOT / "docs" / "extending"
TEMPLATES = {
    "acme_gpt": ("loupe.families", "acme-gpt", "acme_gpt:FAMILY"),
    "acme_clip": ("loupe.interventions", "acme-clip", "acme_clip:Clip"),
    "acme_entropy": ("loupe.pages", "acme-entropy", "acme_entropy"),
}
OPTIONS = ("-q", "--noconftest", "-p", "no:cacheprovider")
ALONE = {"OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
PROMISE = Path(__file__).parent / "plugged" / "promise.json"

CLASS = """
from loupe.plugins import Intervention
class Kind(Intervention, kind="{kind}"):
    says = {says}
    {more}
    def {method}(self, value):
        {does}
"""
PAGE = 'URL = "{url}"\nTITLE = "A page"\nPLACE = "{place}"\ndef render(view):\n    {does}\n'
FAMILY = """
from loupe.plugins import Family
def stumble(settings, names):
    return {{}}["nothing"]
FAMILY = Family(title="A", model_types=frozenset({types}), read_config=stumble, take=dict)
"""


def kind(name: str, **other: str) -> str:
    usual = {"says": '{"en": "{place}"}', "more": "", "method": "change", "does": "return value"}
    return CLASS.format(kind=name, **usual | other)


def page(url: str, place: str = "look", does: str = "pass") -> str:
    return PAGE.format(url=url, place=place, does=does)


FAULTY_PAGES = {
    "acme-broken": ("faulty_import", "import os\nraise ImportError('no such thing')"),
    "acme-missing": ("faulty_missing", "import nowhere_at_all"),
    "acme-leaves": ("faulty_leaves", "raise SystemExit(3)"),
    "acme-number": ("faulty_number:SEVEN", "SEVEN = 7"),
    "acme-nowhere": ("faulty_nowhere", page("acme-nowhere", place="cellar")),
    "acme-other-url": ("faulty_url", page("attention")),
    "attention": ("faulty_taken", page("attention")),
    "acme-stops": ("faulty_stops", page("acme-stops", does="1 / 0")),
    "acme-twice": ("faulty_twice", page("acme-twice")),
}
FAULTY_KINDS = {
    "Acme;r1": ("faulty_name:Kind", kind("Acme;r1")),
    "zero": ("faulty_own:Kind", kind("zero")),
    "acme-no-class": ("faulty_class:Kind", "Kind = 'none'"),
    "acme-zero": ("faulty_zero:Kind", kind("zero")),
    "acme-edits": ("faulty_edits:Kind", kind("acme-edits", method="edits")),
    "acme-unsaid": ("faulty_unsaid:Kind", kind("acme-unsaid", says="{}")),
    "acme-spoken": ("faulty_spoken:Kind", kind("acme-spoken", says='{"en": "{nobody}"}')),
    "acme-pattern": ("faulty_pattern:Kind", kind("acme-pattern", more="acts_on = '('")),
    "acme-late": ("faulty_late:Kind", kind("acme-late") + "raise RuntimeError('too late')"),
    "acme-raises": ("faulty_raises:Kind", kind("acme-raises", does="return {}['nothing']")),
    "acme-shape": ("faulty_shape:Kind", kind("acme-shape", does="return value[..., :1]")),
    "acme-in-place": ("in_place:Kind", kind("acme-in-place", does="return value.zero_()")),
}
FAULTY_FAMILIES = {
    "gpt2": ("faulty_gpt2:FAMILY", FAMILY.format(types='{"gpt2"}')),
    "acme-no-family": ("faulty_family:FAMILY", "FAMILY = 'none'"),
    "acme-types": ("faulty_types:FAMILY", FAMILY.format(types='{"another"}')),
    "acme-stumbles": ("faulty_stumbles:FAMILY", FAMILY.format(types='{"acme-stumbles"}')),
}


def run_pytest(site: Path, *files: Path) -> None:
    """Run tests in a process that has a folder of distributions on its search path.

    The process does not load Loupe's conftest, because authors of plug-ins do not have it.
    """
    path = os.pathsep.join((str(site), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, *map(str, files)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, **ALONE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def install_templates(site: Path) -> None:
    for module, (group, name, value) in TEMPLATES.items():
        code = (GUIDE / f"{module}.py").read_text("utf-8")
        install(site, name, {group: {name: value}}, {module: code})


@pytest.mark.slow
def test_the_templates_of_the_guide_pass_their_tests_once_they_are_installed(tmp_path: Path):
    install_templates(tmp_path)
    tests = sorted(GUIDE.glob("test_*.py"))
    assert [path.stem for path in tests] == sorted(f"test_{name}" for name in TEMPLATES)
    run_pytest(tmp_path, *tests, Path(__file__).parent / "plugged" / "in_use.py")


@pytest.mark.slow
def test_faulty_plug_ins_are_named_and_break_nothing(tmp_path: Path):
    tables = {
        "loupe.pages": FAULTY_PAGES,
        "loupe.interventions": FAULTY_KINDS,
        "loupe.families": FAULTY_FAMILIES,
    }
    points = {
        group: {name: value for name, (value, _) in table.items()}
        for group, table in tables.items()
    }
    modules = {
        value.partition(":")[0]: code for table in tables.values() for value, code in table.values()
    }
    install(tmp_path, "faulty", points, modules)
    install(tmp_path, "faulty-twice", {"loupe.pages": {"acme-twice": "faulty_twice"}}, {})
    run_pytest(tmp_path, Path(__file__).parent / "plugged" / "faulty.py")


def names_found() -> list[str]:
    """Return the names of the plug-ins that a new process would find in this environment."""
    return [name for _, name in finding._offered.__wrapped__()]


def test_a_variable_turns_all_off_and_the_current_folder_offers_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    install(tmp_path, "evil", {"loupe.interventions": {"acme-evil": "evil:Evil"}}, {})
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("LOUPE_PLUGINS", raising=False)
    assert names_found() == ["acme-evil"]
    monkeypatch.setenv("LOUPE_PLUGINS", "0")
    assert names_found() == []
    monkeypatch.delenv("LOUPE_PLUGINS")
    monkeypatch.chdir(tmp_path)
    assert names_found() == []
    assert capsys.readouterr().err == ""


PROMISED_METHODS = {"Intervention": ("change", "text"), "Settings": ("whole", "number", "flag")}
PROMISED_METHODS["Settings"] += ("choice", "must", "part", "words", "has", "is_null", "ignore")


def parameters(function: Callable) -> list[str]:
    """List the parameters of a function, with "=" after those that have a default."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found: list[str] = []
    for each in inspect.signature(function).parameters.values():
        if each.kind == each.KEYWORD_ONLY and "*" not in "".join(found):
            found.append("*")
        usual = "" if each.default is each.empty else "="
        found.append(f"{stars.get(each.kind, '')}{each.name}{usual}")
    return found


def described(name: str, found: object) -> object:
    """Describe the parts of a promised name that may not change."""
    if isinstance(found, type):
        methods = {
            each: parameters(getattr(found, each)) for each in PROMISED_METHODS.get(name, ())
        }
        names = [each.name for each in fields(found)] if is_dataclass(found) else []
        return {"fields": names, "methods": methods}
    if inspect.isfunction(found):
        return parameters(found)
    return sorted(found) if isinstance(found, dict) else found if name == "VERSION" else "there"


def promise() -> dict[str, object]:
    found = {name: described(name, getattr(plugins, name)) for name in sorted(plugins.__all__)}
    return found | {"attributes of a kind": sorted(HOOKS), "groups": [*get_args(Group)]}


def test_what_is_promised_is_there_and_has_its_signature():
    """Add what is new to promise.json. If something goes or changes, raise VERSION as well."""
    kept = json.loads(PROMISE.read_text("utf-8"))
    assert kept == json.loads(json.dumps(promise()))


def test_the_guide_names_all_that_is_promised():
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    assert [name for name in plugins.__all__ if f"`{name}" not in guide] == []


def test_nothing_of_plug_ins_is_read_on_import():
    script = (
        "import sys, loupe\n"
        "print([name for name in ('torch', 'importlib.metadata', 'model.plugins') "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
