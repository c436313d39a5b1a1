"""The files for contributors on a host parse, and name existing programs, pages and people."""

import re
import shlex

import pytest
import yaml

import start
from tests.browsing import ROOT

FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
KINDS = {"markdown", "textarea", "input"}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_has_what_github_asks_for(path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    assert {"name", "description", "labels", "body"} == form.keys()
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert {each["type"] for each in form["body"]} <= KINDS
    assert all(each["attributes"]["label"] for each in fields)
    names = [each["id"] for each in fields]
    assert len(set(names)) == len(names)
    assert any(each.get("validations", {}).get("required") for each in fields)


def test_a_report_of_a_fault_contains_what_the_doctor_says() -> None:
    forms = {path.stem: path.read_text("utf-8") for path in FORMS}
    assert forms.keys() == {"bug", "feature", "question"}
    assert "loupe doctor" in forms["bug"]
    assert "SECURITY.md" in forms["bug"]


def test_the_hooks_run_what_the_checks_run() -> None:
    [repository] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert repository["repo"] == "local"  # nothing is downloaded
    checks = [" ".join(check) for check in start.CHECKS]
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        program, *rest = shlex.split(hook["entry"].replace(".venv/bin/", "", 1))
        if program != "pytest":
            begins = " ".join([program, *rest[:1]]).removesuffix(" --force-exclude")
            assert any(check.startswith(begins) for check in checks), begins
        named = [each for each in rest if each.startswith(("tests/", "viz"))]
        assert [each for each in named if not (ROOT / each).exists()] == []


def test_the_places_of_the_first_issues_are_there() -> None:
    text = (ROOT / "docs" / "internals" / "good-first-issues.md").read_text("utf-8")
    issues = text.split("\n## ")[1:]
    assert len(issues) >= 6
    for issue in issues:
        parts = re.findall(r"^- \*\*(\w+)[ .]", issue, re.MULTILINE)
        assert parts == ["Where", "Why", "See", "Size"]
    named = re.findall(r"`((?:\.github|loupe|model|tests|viz)/[\w./-]+|start\.py)`", text)
    assert named
    assert [one for one in named if "NAME" not in one and not (ROOT / one).exists()] == []


def test_the_citation_parses_and_names_no_address_that_nobody_has() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["authors"]
    assert cited["type"] == "software"
    assert all("YOUR" not in str(value) for value in cited.values())
    for reference in cited["references"]:
        assert {"type", "title", "authors"} <= reference.keys()
