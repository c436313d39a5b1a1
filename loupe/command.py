"""The command `loupe`: starts the app, downloads a model, makes an atlas, or writes a site."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from loupe.app_options import add_window_options, check_options
from loupe.module_finder import HOME
from loupe.window import show_window
from model.foreign.hub.cache import find_cached
from model.foreign.hub.names import HubError, read_name
from viz.run.version import version

MODULES = {"corpus": "viz.corpus", "site": "viz.site"}
"""Commands that are modules of the app's, which say their options themselves."""
_ABOUT_APP = (
    "Start the app and open it in the browser. FOLDER is one of models that loupe.save wrote, "
    "MODEL the name of a model in your Hugging Face cache. "
    "Options that are not its own go to Streamlit, as in --server.port 8600."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; give the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in MODULES:
        return _become(["-m", MODULES[given[0]], *given[1:]], env=_finding_modules(given[0]))
    if given[:1] == ["fetch"]:
        from loupe.fetching import main as fetch

        return fetch(given[1:])
    parser, app = _parsers()
    # First, or none: after an option a word may be what is given to it, and Streamlit's are many.
    named = given.pop(1) if given[:1] == ["app"] and _is_word(given[1:2]) else None
    chosen, others = parser.parse_known_args(given)
    if chosen.command is None:
        parser.error("say what to do: app, fetch, corpus or site")
    if named is not None:
        folder = Path(named)
        if not folder.is_dir():
            try:
                folder = find_cached(read_name(named)).path
            except HubError as error:
                parser.error(f"there is no folder {named}. {error}")
        os.environ.update(_listing(folder.resolve()))
    check_options(app, chosen, others)
    if not chosen.window:
        # From its own folder: there Streamlit finds its settings, and Python the app's modules.
        return _become(["-m", "streamlit", "run", "app.py", *others], cwd=HOME)
    return show_window(others, browser=chosen.browser)


def _parsers() -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """Make the parser of the command, and the one of its first command, `app`."""
    parser = argparse.ArgumentParser(prog="loupe", description="Look inside a transformer.")
    parser.add_argument("--version", action="version", version=f"Loupe {version()}")
    commands = parser.add_subparsers(dest="command")
    app = commands.add_parser(
        "app",
        help="start the app",
        description=_ABOUT_APP,
        usage="loupe app [FOLDER or MODEL] [--window] [--browser PROGRAM] [options of Streamlit]",
        allow_abbrev=False,
    )
    add_window_options(app)
    commands.add_parser("fetch", help="download a model from the Hugging Face Hub")
    commands.add_parser("corpus", help="measure what every head does over many sentences")
    commands.add_parser("site", help="write small models as a site of plain files")
    return parser, app


def _is_word(arguments: Sequence[str]) -> bool:
    return bool(arguments) and not arguments[0].startswith("-")


def _become(
    arguments: Sequence[str], *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> int:
    """Run Python in the place of this process: who ends one ends the other.

    Where a system cannot do that, wait for it and return its exit status.
    """
    command = [sys.executable, *arguments]
    if os.name == "posix":
        os.chdir(cwd or ".")
        os.execve(sys.executable, command, env or os.environ)
    try:
        return subprocess.run(command, cwd=cwd, env=env, check=False).returncode
    except KeyboardInterrupt:
        return 130


def _finding_modules(command: str) -> dict[str, str]:
    """Return an environment in which `viz` and `model` are Loupe's, whatever lies here."""
    path = os.pathsep.join(filter(None, (str(HOME), os.environ.get("PYTHONPATH"))))
    called = {"LOUPE_COMMAND": f"loupe {command}"}
    return {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1", **called}


def _listing(folder: Path) -> dict[str, str]:
    """Name a folder to the app, by what it holds: checkpoints of Loupe, models of transformers."""
    names = {path.stem for path in folder.glob("*.safetensors")}
    is_own = any((folder / f"{name}.json").is_file() for name in names)
    return {"LOUPE_MODELS": str(folder)} | ({"LOUPE_KEPT": str(folder)} if is_own else {})
