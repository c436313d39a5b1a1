"""The options that every command for the app has, and those that it passes on to Streamlit.

Needs nothing but Python: `start.py` reads its options with it before anything is installed.
"""

import argparse
import difflib
import re
from collections.abc import Iterator, Sequence


def add_window_options(parser: argparse._ActionsContainer) -> None:
    """Let a parser, or a group of one, take `--window` and `--browser`."""
    parser.add_argument(
        "--window",
        action="store_true",
        help="open a separate window (Chromium, Chrome, Edge or pywebview) instead of a tab; "
        "closing it ends Loupe",
    )
    parser.add_argument(
        "--browser",
        metavar="PROGRAM",
        help="the program that shows the window; it must accept Chromium's options",
    )


def check_options(
    parser: argparse.ArgumentParser,
    chosen: argparse.Namespace,
    left: Sequence[str],
    words: Sequence[str] = (),
) -> None:
    """Report options that do not fit together, or that neither Loupe nor Streamlit has, and exit.

    Each of Streamlit's options has a dot in its name, as `--server.port` does.

    Args:
        parser: Reports the error. Its help names the options that a typing error may have meant.
        chosen: The options that it read.
        left: The arguments that it did not know.
        words: The words other than options that a typing error may have meant.
    """
    for wrong in _not_of_streamlit(left):
        known = re.findall(r"--[a-z-]+(?![\w.-])", parser.format_help())
        near = difflib.get_close_matches(wrong, [*known, *words], n=1)
        hint = f"did you mean {near[0]}?" if near else f"{parser.prog} --help lists the options"
        kind = "an option" if wrong.startswith("-") else "an argument"
        parser.error(f"{wrong} is not {kind} of this command; {hint}")
    if chosen.browser and not chosen.window:
        parser.error("--browser needs --window")
    if chosen.window and any(option.startswith("--server.port") for option in left):
        parser.error("--window chooses a free port itself: omit --server.port")


def _not_of_streamlit(left: Sequence[str]) -> Iterator[str]:
    takes_value = False
    for argument in left:
        name, equals, _ = argument.partition("=")
        if name.startswith("--") and "." in name:
            takes_value = not equals
        elif takes_value and not name.startswith("--"):
            takes_value = False
        else:
            yield name
