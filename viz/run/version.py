"""The version of this Loupe."""

import functools
import importlib.metadata
import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[2]


@functools.cache
def version() -> str:
    """Return the version in the repository, or of the installed package."""
    project = _ROOT / "pyproject.toml"
    if project.is_file():
        return tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    return importlib.metadata.version("loupe-transformer")
