"""Which Loupe it is."""

import subprocess
from pathlib import Path

import pytest

from viz.run.version import commit, version

ROOT = Path(__file__).parents[3]


def test_the_version_is_the_projects():
    assert f'version = "{version()}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_commit_is_what_git_says():
    if not (ROOT / ".git").exists():
        pytest.skip("no repository")
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    commit.cache_clear()
    assert commit() == found.stdout.strip()
