"""The options of `start.py`, which reads them before anything is installed."""

import argparse
from typing import NoReturn

from loupe.app_options import add_window_options, check_options

ABOUT_APP = """\
Starts Loupe and opens it in your browser. The first start installs Loupe's packages into the
folder .venv, which takes a few minutes and a network. Later starts need no network.
"""
ABOUT_OTHERS = """\
Options with a dot in their names are passed on to Streamlit, Loupe's web server:
  --server.port 8600        listen on this port
  --server.headless true    open no browser
"""
ABOUT_TESTS = """\
Runs the checks (ruff, import-linter, pyright, biome, tsc, node's tests), then pytest. The first
run installs them. All other options, and the names of files, are passed on to pytest.
"""


NEEDS = {
    "--atlas": "an existing folder, or an address such as s3://bucket/atlas",
    "--fetch": "the name of a model of the Hugging Face Hub, such as org/name",
    "--torch-index": "the address of an index of packages",
}
"""The value that an option needs, for the message if it is missing."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Exit with a message, which names the missing value if the option needs one."""
        option = message.removeprefix("argument ").partition(":")[0]
        super().error(f"{option} needs {NEEDS[option]}" if option in NEEDS else message)


def _given(value: str) -> str:
    if not value:
        raise ValueError
    return value


def read_options(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the options of Loupe, checked, and the arguments that are Streamlit's."""
    parser = app_parser()
    asked, left = parser.parse_known_args(arguments)
    check_options(parser, asked, left, words=["test"])
    if asked.yes and asked.fetch is None:
        parser.error("--yes needs --fetch")
    return asked, left


def app_parser() -> argparse.ArgumentParser:
    """Make the parser of the options with which the app is started."""
    parser = _Parser(
        prog="python3 start.py",
        usage="python3 start.py [options]        start the app\n"
        "       python3 start.py test [options]   run the checks and the tests",
        description=ABOUT_APP,
        epilog=ABOUT_OTHERS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_window_options(parser.add_argument_group("window"))
    models = parser.add_argument_group("your models and measurements")
    models.add_argument(
        "--models",
        nargs="?",
        const="",
        metavar="FOLDER",
        help="list the Hugging Face folders in FOLDER too; without FOLDER, the models of your "
        "Hugging Face cache; with org/name, that model of the cache",
    )
    models.add_argument(
        "--fetch",
        type=_given,
        metavar="NAME",
        help="start with the model NAME of the Hugging Face Hub, such as openai-community/gpt2; "
        "if it is not in your cache, show its size, ask, and download it",
    )
    models.add_argument("--yes", action="store_true", help="with --fetch: download without asking")
    models.add_argument(
        "--atlas",
        type=_given,
        metavar="FOLDER",
        help="show the measurements in FOLDER (or s3://...) that `python -m viz.corpus` made",
    )
    installing = parser.add_argument_group("the first start, which installs the packages")
    installing.add_argument(
        "--torch-index",
        type=_given,
        metavar="URL",
        help="look for packages at URL too; without this option, Linux without an NVIDIA driver "
        "asks PyTorch's index of CPU builds, which saves 2.5 GB; with `none`, only the usual index",
    )
    installing.add_argument(
        "--locked",
        action="store_true",
        help="install only files whose hashes are listed in requirements*.lock",
    )
    installing.add_argument(
        "--install",
        action="store_true",
        help="install the packages and do not start: for a build server or a container",
    )
    return parser


def test_parser() -> argparse.ArgumentParser:
    """Make the parser of the options with which the tests are started."""
    parser = argparse.ArgumentParser(
        prog="python3 start.py test",
        usage="python3 start.py test [--quick] [options of pytest]",
        description=ABOUT_TESTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="leave out the slow tests and all but a few of those that drive a browser",
    )
    return parser
