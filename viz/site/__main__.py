"""Write a site: `python -m viz.site OUT` writes the first model's, in English and French.

python -m viz.site OUT --model everyday-paper-0 --model everyday-prenorm --lang en
python -m viz.site loupe.html --one-file
python -m viz.site OUT --model FOLDER --bits 16
python -m viz.site OUT --lecture LECTURE.json
"""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from model.checkpoints.errors import CheckpointError
from texts import LANGUAGES
from viz.models import own_checkpoints
from viz.site.build import Shared, one_file, site_files
from viz.site.deck_file import DeckError
from viz.site.lecture import read_lecture, titles_elsewhere
from viz.site.models import PAGES, SiteError, named, third_party_files


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    given = options.model or own_checkpoints.checkpoint_names()[:1]
    names = tuple(dict.fromkeys(map(named, given)))
    spoken = tuple(dict.fromkeys(options.lang or LANGUAGES))
    try:
        lecture = options.lecture and read_lecture(options.lecture, names, PAGES)
        if options.one_file:
            options.out.write_bytes(one_file(names[0], spoken, lecture, options.home or ""))
            written = {options.out.name: options.out.stat().st_size}
        else:
            shared = Shared(options.address or "", options.home or "")
            files = site_files(names, spoken, lecture, shared)
            large = third_party_files(names, options.bits)
            written = {}
            for path, contents in chain(files.items(), large):
                place = options.out / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(contents)
                written[path] = len(contents)
    except (CheckpointError, DeckError, SiteError, OSError) as error:
        parser.error(str(error))
    size = sum(written.values()) / 1e6
    sys.stdout.write(f"{len(written)} files, {size:.1f} MB: {options.out}\n")
    for title, has_picture in titles_elsewhere(lecture) if lecture else ():
        shown = "as a picture" if has_picture else "without a picture"
        sys.stdout.write(f"{shown}: {title}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=os.environ.get("LOUPE_COMMAND", "python -m viz.site"),
        description="Write small models as a site of plain files, for any web server.",
    )
    parser.add_argument("out", type=Path, help="the folder to write, or with --one-file the file")
    parser.add_argument(
        "--model",
        action="append",
        metavar="NAME",
        help="a checkpoint, the folder of a third-party model, or the name of a model in your "
        "Hugging Face cache; the first one opens first",
    )
    parser.add_argument(
        "--bits",
        type=int,
        choices=(8, 16),
        default=8,
        help="the bits for each weight of a third-party model: 16 is closer to the model, but "
        "twice as large",
    )
    parser.add_argument(
        "--lecture", type=Path, metavar="FILE", help="a lecture saved by the app; it is shown first"
    )
    parser.add_argument(
        "--lang",
        nargs="+",
        choices=LANGUAGES,
        help="the languages of the site; the first is the default",
    )
    for option, about in (
        ("--address", "the address of the site, which gives shared links a picture"),
        ("--home", "the address of your project, which every page links to at its foot"),
    ):
        parser.add_argument(option, type=_web_address, metavar="URL", help=about)
    parser.add_argument(
        "--one-file",
        action="store_true",
        help="write one page with one model, which opens without a server",
    )
    return parser


def _web_address(text: str) -> str:
    """Return a web address. Raises ArgumentTypeError if the text is not one."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise argparse.ArgumentTypeError(
            f"must be an address such as https://example.org/loupe/, got {text!r}"
        )
    return text


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # warnings of Streamlit without a server
    sys.exit(main())
