"""The command `loupe fetch`: downloads a model from the Hugging Face Hub."""

import argparse
import sys
from collections.abc import Sequence

from tqdm import tqdm

from model.files.sizes import file_in_words, in_words
from model.foreign.hub.cache import CachedModel, find_cached
from model.foreign.hub.download import download
from model.foreign.hub.names import HubError, HubName, read_name
from model.foreign.hub.offer import Offer, look_up

_ABOUT = (
    "Download a model from the Hugging Face Hub into your Hugging Face cache: its weights as "
    "safetensors and its JSON, nothing else. Loupe shows the size first. The same command "
    "continues an interrupted download."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 1 if the model was not found, or 130 if interrupted."""
    options = _parser().parse_args(arguments)
    try:
        name = read_name(options.name, options.revision)
        found = fetched(name, yes=options.yes)
    except HubError as error:
        _say(str(error))
        return 1
    except KeyboardInterrupt:
        _say("\nstopped; the same command continues the download")
        return 130
    if found is None:
        return 1
    _say(f"{found.name} is in your Hugging Face cache, commit {found.commit}")
    _say(f"to see it: loupe app {found.name}; in Python: loupe.load({found.name!r})")
    return 0


def fetched(name: HubName, *, yes: bool) -> CachedModel | None:
    """Return a model of the cache, downloaded if a user agrees; None if they do not.

    If the Hub cannot be reached, a copy in the cache is used. Raises HubError if there is none.
    """
    try:
        offer = look_up(name)
    except HubError as error:
        if error.reason not in ("offline", "unreachable", "no_client"):
            raise
        try:
            found = find_cached(name)
        except HubError:
            raise error from None
        _say(f"the Hub could not be reached: {error}")
        return found
    _say(_described(offer))
    if offer.missing:
        offer.check_room()
        if not yes and not _agreed(offer):
            return None
    with tqdm(
        total=offer.size, unit="B", unit_scale=True, disable=not offer.missing, desc=offer.name.repo
    ) as bar:
        return download(offer, lambda done, _size: _move(bar, done))


def _move(bar: tqdm, done: int) -> None:
    bar.update(done - bar.n)


def _described(offer: Offer) -> str:
    lines = [f"{offer.name} of the Hugging Face Hub, commit {offer.commit}:"]
    missing = offer.missing
    for file in offer.files:
        there = "" if file in missing else "  (in the cache)"
        lines.append(f"  {file_in_words(file.size):>9}  {file.name}{there}")
    left = (
        f"{file_in_words(offer.left)} to download"
        if missing
        else "all of it is already in the cache"
    )
    lines.append(f"{left}; {in_words(offer.free)} are free in {offer.root}")
    return "\n".join(lines)


def _agreed(offer: Offer) -> bool:
    """Ask the person at the terminal; refuse if there is none."""
    if not sys.stdin.isatty():
        _say("nothing was downloaded: add --yes to accept this size")
        return False
    sys.stderr.write(f"Download {file_in_words(offer.left)}? [y/N] ")
    sys.stderr.flush()
    agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not agreed:
        _say("nothing was downloaded")
    return agreed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="loupe fetch", description=_ABOUT)
    parser.add_argument(
        "name", help="org/name, org/name@revision, or the address of the model's page"
    )
    parser.add_argument("--revision", help="a branch, a tag or a commit; main by default")
    parser.add_argument("--yes", action="store_true", help="download without asking")
    return parser


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
