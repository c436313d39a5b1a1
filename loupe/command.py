"""The command `loupe`: starts the app."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from loupe.house import HOME


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; give the exit status."""
    parser = argparse.ArgumentParser(prog="loupe", description="Look inside a transformer.")
    commands = parser.add_subparsers(dest="command", required=True)
    app = commands.add_parser(
        "app",
        help="start the app and open it in the browser",
        description="Start the app and open it in the browser. Options that are not its own go to "
        "Streamlit, as in --server.port 8600.",
    )
    app.add_argument(
        "folder", nargs="?", type=Path, help="a folder of models that loupe.save wrote"
    )
    chosen, others = parser.parse_known_args(arguments)
    if chosen.folder is not None and not chosen.folder.is_dir():
        parser.error(f"{chosen.folder} is no folder")
    return start_app(chosen.folder, others)


def start_app(folder: Path | None, options: Sequence[str]) -> int:
    """Run the app until it ends, on the models of a folder beside its own."""
    own = _listing(folder.resolve()) if folder else {}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    try:
        # From its own folder: there Streamlit finds its settings, and Python the app's modules.
        return subprocess.run(command, cwd=HOME, env=os.environ | own, check=False).returncode
    except KeyboardInterrupt:
        return 130


def _listing(folder: Path) -> dict[str, str]:
    """Name a folder to the app, by what it holds: checkpoints of Loupe, models of transformers."""
    names = {path.stem for path in folder.glob("*.safetensors")}
    is_own = any((folder / f"{name}.json").is_file() for name in names)
    return {"LOUPE_MODELS": str(folder)} | ({"LOUPE_KEPT": str(folder)} if is_own else {})
