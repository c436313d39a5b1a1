"""Which Loupe this is: its version, and the commit of its repository where it runs in one."""

import functools
import importlib.metadata
import re
import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@functools.cache
def version() -> str:
    """Return the version: of the package that is installed, or what the repository says."""
    project = _ROOT / "pyproject.toml"
    if project.is_file():
        return tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    return importlib.metadata.version("loupe-transformer")


@functools.cache
def commit() -> str | None:
    """Return the commit that is checked out; None where there is no repository."""
    try:
        return _commit(_ROOT / ".git")
    except OSError:
        return None


def _commit(place: Path) -> str | None:
    folder = place
    if place.is_file():  # of a second working tree: says where its own things lie
        folder = Path(place.read_text(encoding="utf-8").removeprefix("gitdir:").strip())
    head = (folder / "HEAD").read_text(encoding="utf-8").strip()
    if not head.startswith("ref:"):
        return head if _HASH.fullmatch(head) else None
    name = head.removeprefix("ref:").strip()
    shared = folder / "commondir"
    home = folder / shared.read_text(encoding="utf-8").strip() if shared.is_file() else folder
    if (home / name).is_file():
        return (home / name).read_text(encoding="utf-8").strip()
    packed = (home / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), None)
