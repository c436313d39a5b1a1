"""Downloads a model from the Hub into the user's cache, which lists only complete models.

The files are first downloaded to `blobs/` and checked. An interrupted file stays there as
`NAME.incomplete`, and the next download continues it. Only when all files are complete are the
links of the snapshot and the commit of the branch written. The rest of the cache stays untouched.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from model.files.json_fields import shorten
from model.foreign.hub.bounded import BoundedFile, StoppedError, TooLongError
from model.foreign.hub.cache import CachedModel
from model.foreign.hub.names import MAIN, HubError, is_commit
from model.foreign.hub.offer import CONFIG, HubFile, Offer, address_of, asking, get

Tell = Callable[[int, int], None]
"""A function that receives the number of bytes downloaded, and of all bytes."""

_ETAG = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
_LARGE = 10_000_000
"""The size from which an interrupted file is continued; a smaller one starts over."""
_CHUNK = 1 << 22


def download(
    offer: Offer,
    tell: Tell = lambda _done, _size: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> CachedModel:
    """Download the files of a commit that the cache lacks, and return the model.

    Raises HubError if that fails, and StoppedError if it was stopped. The same call continues it.
    """
    offer.check_room()
    with asking(offer.name), _alone(offer):
        blobs: dict[str, Path] = {}
        for file in offer.missing:
            others = sum(each.size for each in offer.files if each.name in blobs)
            before = offer.size - offer.left + others
            blobs[file.name] = _download(
                offer, file, lambda done, so_far=before: tell(so_far + done, offer.size), is_stopped
            )
        offer.snapshot.mkdir(parents=True, exist_ok=True)
        for name in sorted(blobs, key=lambda name: name == CONFIG):
            _link(blobs[name], offer.snapshot / name)
        _name_commit(offer)
    tell(offer.size, offer.size)
    return CachedModel(offer.name.repo, offer.commit, offer.snapshot)


@contextmanager
def _alone(offer: Offer) -> Iterator[None]:
    """Keep a second download of the same model from writing to the same files."""
    from filelock import FileLock, Timeout  # installed with the Hub's client

    folder = offer.root / ".locks" / offer.name.folder
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "loupe.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise HubError("busy", name=str(offer.name)) from error
    try:
        yield
    finally:
        lock.release()


def _download(
    offer: Offer, file: HubFile, tell: Callable[[int], None], is_stopped: Callable[[], bool]
) -> Path:
    """Download and check one file, under the name that the Hub gives its contents."""
    url = address_of(offer.name, offer.commit, file.name)
    blob = offer.entry / "blobs" / _name_of_contents(offer, file, url)
    if blob.is_file() and blob.stat().st_size == file.size:
        tell(file.size)
        return blob
    part = blob.with_name(f"{blob.name}.incomplete")
    part.parent.mkdir(parents=True, exist_ok=True)
    with part.open("ab") as opened:
        if file.size < _LARGE or opened.tell() > file.size:
            opened.truncate(0)
        begun = opened.seek(0, os.SEEK_END)
        tell(begun)
        bounded = BoundedFile(opened, file.size, tell=tell, is_stopped=is_stopped)
        try:
            get(url, bounded, size=file.size, begun=begun)
        except TooLongError as error:
            opened.truncate(0)
            raise HubError("damaged", file=file.name) from error
    if part.stat().st_size != file.size or not _is_whole(part, file, is_stopped):
        part.unlink(missing_ok=True)
        raise HubError("damaged", file=file.name)
    part.replace(blob)
    return blob


def _name_of_contents(offer: Offer, file: HubFile, url: str) -> str:
    """Ask the Hub for the file's name in the cache. Raises HubError if its listing differs."""
    from huggingface_hub import get_hf_file_metadata
    from huggingface_hub.utils import build_hf_headers

    said = get_hf_file_metadata(url, headers=build_hf_headers(library_name="loupe"))
    if said.etag is None or not _ETAG.fullmatch(said.etag):
        raise HubError("odd", name=offer.name.repo, what=shorten(str(said.etag)))
    if said.commit_hash not in (None, offer.commit) or said.size not in (None, file.size):
        raise HubError("damaged", file=file.name)
    return said.etag


def _is_whole(part: Path, file: HubFile, is_stopped: Callable[[], bool]) -> bool:
    if file.sha256 is None:
        return True
    digest = hashlib.sha256()
    with part.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            if is_stopped():
                raise StoppedError
            digest.update(chunk)
    return digest.hexdigest() == file.sha256


def _link(blob: Path, pointer: Path) -> None:
    """Put a file into the snapshot as the Hub's client does: as a link if the system has links."""
    if pointer.exists():
        return
    pointer.unlink(missing_ok=True)  # a broken link
    try:
        pointer.symlink_to(Path("..") / ".." / "blobs" / blob.name)
    except OSError:  # Windows requires a privilege for links
        beside = pointer.with_name(f"{pointer.name}.incomplete")
        shutil.copyfile(blob, beside)
        beside.replace(pointer)


def _name_commit(offer: Offer) -> None:
    """Write the commit to the ref of the requested branch."""
    revision = offer.name.revision or MAIN
    if is_commit(revision):
        return
    ref = offer.entry / "refs" / revision
    ref.parent.mkdir(parents=True, exist_ok=True)
    beside = ref.with_name(f"{ref.name}.{os.getpid()}.incomplete")
    beside.write_text(offer.commit, encoding="ascii")
    beside.replace(ref)
