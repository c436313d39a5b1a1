"""The version of Loupe that is running."""

from pathlib import Path

from viz.run.version import version

ROOT = Path(__file__).parents[3]


def test_the_version_is_the_projects():
    assert f'version = "{version()}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
