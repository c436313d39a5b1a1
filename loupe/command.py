"""The command `loupe`: starts the app, fetches models, makes atlases and sites, lists faults."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from loupe.about import NO_APP
from loupe.app_options import add_window_options, check_options
from loupe.module_finder import HOME
from loupe.window import show_window
from model.foreign.hub.cache import find_cached
from model.foreign.hub.names import HubError, read_name
from viz.run.version import version

MODULES = {"corpus": "viz.corpus", "site": "viz.site"}
"""Commands that are modules of the app, which describe their own options."""
_ABOUT_APP = (
    "Start the app and open it in the browser. FOLDER holds models that loupe.save wrote; "
    "MODEL is the name of a model in your Hugging Face cache. "
    "All other options are passed to Streamlit, for example --server.port 8600."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] and given[0] in (*MODULES, "app") and find_spec("streamlit") is None:
        sys.exit(f"loupe: {NO_APP}")
    if given and given[0] in MODULES:
        return _become(["-m", MODULES[given[0]], *given[1:]], env=_finding_modules(given[0]))
    if given[:1] == ["fetch"]:
        from loupe.fetching import main as fetch

        return fetch(given[1:])
    if given[:1] == ["doctor"]:
        from loupe.doctor import main as doctor

        return doctor(given[1:])
    parser, app = _parsers()
    # The folder comes first, if at all: a word after an option may be that option's value.
    named = given.pop(1) if given[:1] == ["app"] and _is_word(given[1:2]) else None
    chosen, others = parser.parse_known_args(given)
    if chosen.command is None:
        parser.error("give a command: app, corpus, doctor, fetch or site")
    if named is not None:
        folder = Path(named)
        if not folder.is_dir():
            try:
                folder = find_cached(read_name(named)).path
            except HubError as error:
                parser.error(f"the folder {named} does not exist. {error}")
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
    commands.add_parser("doctor", help="list packages, devices, caches and faults")
    commands.add_parser("corpus", help="measure what every head does over many sentences")
    commands.add_parser("site", help="write small models as a static site")
    return parser, app


def _is_word(arguments: Sequence[str]) -> bool:
    return bool(arguments) and not arguments[0].startswith("-")


def _become(
    arguments: Sequence[str], *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> int:
    """Replace this process with Python, so that ending one ends the other.

    On a system that cannot replace a process, wait for Python and return its exit status.
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
    """Return an environment in which `viz` and `model` are Loupe's, whatever this folder holds."""
    path = os.pathsep.join(filter(None, (str(HOME), os.environ.get("PYTHONPATH"))))
    called = {"LOUPE_COMMAND": f"loupe {command}"}
    return {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1", **called}


def _listing(folder: Path) -> dict[str, str]:
    """Return the app's option for a folder, of Loupe checkpoints or of transformers models."""
    names = {path.stem for path in folder.glob("*.safetensors")}
    is_own = any((folder / f"{name}.json").is_file() for name in names)
    return {"LOUPE_MODELS": str(folder)} | ({"LOUPE_KEPT": str(folder)} if is_own else {})
