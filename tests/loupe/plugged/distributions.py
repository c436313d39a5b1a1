"""Install throw-away distributions into a folder: entry points in a dist-info, and modules."""

from collections.abc import Mapping
from pathlib import Path


def install(
    folder: Path,
    package: str,
    points: Mapping[str, Mapping[str, str]] | str,
    modules: Mapping[str, str],
    version: str = "1.0",
) -> None:
    """Install one distribution.

    Args:
        folder: A folder on the search path.
        package: Its name.
        points: Values by group and name, or the whole text of entry_points.txt.
        modules: The code of each module by its name.
        version: Its version.
    """
    about = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    if not isinstance(points, str):
        lines = [
            line
            for group, names in points.items()
            for line in (f"[{group}]", *(f"{name} = {value}" for name, value in names.items()))
        ]
        points = "\n".join(lines)
    (about / "entry_points.txt").write_text(f"{points}\n")
    for name, code in modules.items():
        (folder / f"{name}.py").write_text(code)
