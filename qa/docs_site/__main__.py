"""Builds the site of the guides: `python -m qa.docs_site FOLDER`."""

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
REQUIREMENTS = "docs/requirements.txt"


def main(arguments: list[str]) -> int:
    """Build the site; return 1 if a link leads nowhere, or anything else is wrong."""
    parser = argparse.ArgumentParser(prog="python -m qa.docs_site", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the site")
    folder = parser.parse_args(arguments).folder.resolve()
    if not all(map(find_spec, ("sphinx", "furo", "myst_nb"))):
        parser.error(f"the site needs more packages: pip install -r {REQUIREMENTS}")
    with tempfile.TemporaryDirectory() as kept:
        command = (
            *(sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning"),
            *("--fresh-env", "--builder", "html", "--doctree-dir", kept),
            *("--conf-dir", str(Path(__file__).parent), str(ROOT), str(folder)),
        )
        return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
