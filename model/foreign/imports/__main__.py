"""Try a folder: `python -m model.foreign.imports FOLDER` prints its kind or why it is refused.

The name of a model in the Hugging Face cache works too.
"""

import argparse
import sys
from pathlib import Path

from model.foreign.errors import FolderError, NotPouredError
from model.foreign.hub.cache import find_cached, snapshot_in
from model.foreign.hub.names import HubError, is_repo, read_name
from model.foreign.imports.installed import has_transformers
from model.foreign.imports.load import open_folder, plan_folder
from model.foreign.imports.original import difference


def main(arguments: list[str] | None = None) -> int:
    """Open a folder, and compare it with transformers' own model if that is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    asked = parser.parse_args(arguments).folder
    try:
        is_name = is_repo(asked) and not Path(asked).exists()
        folder = find_cached(read_name(asked)).path if is_name else snapshot_in(Path(asked))
        planned = plan_folder(folder)
        size = planned.estimate
        say(f"{planned.family.title}: {size.n_parameters:,} parameters, {size.in_words} of memory")
        opened = open_folder(folder)
    except (FolderError, HubError) as error:
        say(str(error))
        if isinstance(error, NotPouredError) and has_transformers():
            say("Loupe can still open it: transformers runs it, and Loupe records that code")
            return 0
        return 1
    say("opened; on a short text, all numbers are finite and all rows of attention sum to 1")
    try:
        far = difference(folder, opened.model)
    except ImportError:
        say("not compared with the original, because transformers is not installed")
        return 0
    except LookupError as error:  # the family comes from a plug-in
        say(f"not compared with the original, because {error}")
        return 0
    say(f"largest difference from the original: {far:.1e} of its largest number")
    return 0


def say(line: str) -> None:
    """Write a line."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
