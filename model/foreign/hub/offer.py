"""The files of a model that Loupe would download from the Hub, and their sizes."""

import errno
import importlib.util
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from model.files.json_fields import shorten
from model.files.plain_json import read_object
from model.files.sizes import in_words
from model.foreign.hub.bounded import BoundedFile, StoppedError, TooLongError
from model.foreign.hub.cache import hub_cache
from model.foreign.hub.names import MAIN, HubError, HubName, is_commit

CONFIG, INDEX = "config.json", "model.safetensors.index.json"
SMALL = {
    CONFIG: 1 << 20,
    "generation_config.json": 1 << 20,
    "tokenizer.json": 50_000_000,
    "tokenizer_config.json": 1 << 23,
    "special_tokens_map.json": 1 << 20,
    "added_tokens.json": 1 << 23,
    "vocab.json": 1 << 23,
    "target_vocab.json": 1 << 23,
    INDEX: 1 << 23,
}
"""JSON files that Loupe downloads, with the largest allowed size of each in bytes."""
_VOCABULARIES = dict.fromkeys(
    (
        "source.spm",
        "target.spm",
        "spiece.model",
        "spm.model",
        "sentencepiece.bpe.model",
        "tokenizer.model",
        "vocab.txt",
        "merges.txt",
    ),
    50_000_000,
)
"""Vocabularies in other formats (text or SentencePiece), with their largest size in bytes. They are
downloaded only for a model without tokenizer.json; none of them can contain code."""
_WEIGHTS = "model.safetensors"
_SHARD = re.compile(r"[A-Za-z0-9_.-]{1,100}-[0-9]{5}-of-[0-9]{5}\.safetensors")
_OTHER_WEIGHTS = (".bin", ".pt", ".pth", ".h5", ".msgpack", ".ot", ".gguf", ".onnx")
_MOST_LISTED = 20_000
_MOST_SHARDS = 100
MOST_WEIGHTS = 200_000_000_000
"""The largest total size of the weights, in bytes."""
ROOM_LEFT = 100_000_000
"""The bytes that must stay free on the disk."""
_PIECE = 1 << 20
_PATIENCE = 20.0
"""The seconds within which the Hub has to begin its answer."""
_ON_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST}
_YES = ("1", "ON", "YES", "TRUE")


@dataclass(frozen=True)
class HubFile:
    """A file that would be downloaded."""

    name: str
    size: int
    sha256: str | None = None
    """The hash of its contents, if the Hub states one, as it does for weights."""


@dataclass(frozen=True)
class Offer:
    """A commit of a model, with its files as the Hub lists them."""

    name: HubName
    commit: str
    files: tuple[HubFile, ...]
    """The files, the configuration first and the weights last."""
    root: Path
    """The cache into which the files would be downloaded."""

    @property
    def entry(self) -> Path:
        """The model's folder in the cache."""
        return self.root / self.name.folder

    @property
    def snapshot(self) -> Path:
        """The folder of the commit."""
        return self.entry / "snapshots" / self.commit

    @property
    def size(self) -> int:
        """The size of all files, in bytes."""
        return sum(file.size for file in self.files)

    @property
    def missing(self) -> tuple[HubFile, ...]:
        """The files that the cache lacks."""
        return tuple(file for file in self.files if not (self.snapshot / file.name).exists())

    @property
    def left(self) -> int:
        """The largest number of bytes still to download; partial files count as missing."""
        return sum(file.size for file in self.missing)

    @cached_property
    def free(self) -> int:
        """The free bytes on the disk of the cache."""
        there = next(path for path in (self.root, *self.root.absolute().parents) if path.exists())
        return shutil.disk_usage(there).free

    def check_room(self) -> None:
        """Raise HubError if the files do not fit on the disk."""
        if self.left + ROOM_LEFT > self.free:
            raise HubError("no_room", need=in_words(self.left), free=in_words(self.free))


def is_offline(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the user has turned downloads off."""
    said = environment.get("HF_HUB_OFFLINE") or environment.get("TRANSFORMERS_OFFLINE") or ""
    return said.upper() in _YES


def look_up(name: HubName, root: Path | None = None, *, commit: str | None = None) -> Offer:
    """Ask the Hub which files a model has, without downloading any.

    `commit` selects a commit found earlier, even if the branch has moved since. Raises HubError if
    the Hub cannot be asked, or if Loupe would not open the model.
    """
    with asking(name):
        from huggingface_hub import HfApi

        api = HfApi(endpoint=_endpoint(), library_name="loupe")
        asked = commit or _said(name)
        commit = api.model_info(name.repo, revision=asked, timeout=_PATIENCE).sha or ""
        if not is_commit(commit):
            raise HubError("odd", name=name.repo, what=shorten(commit))
        tree = api.list_repo_tree(name.repo, revision=commit, recursive=True)
        listed = [_listed(each) for each in islice(tree, _MOST_LISTED) if hasattr(each, "size")]
        by_name = {file.name: file for file in listed}  # files in subfolders have other names
        offer = Offer(name, commit, tuple(_chosen(name, by_name)), root or hub_cache())
        _check_config(name, _config(name, commit, by_name[CONFIG]))
    return offer


@contextmanager
def asking(name: HubName) -> Iterator[None]:
    """Allow requests to the Hub. Raises HubError on any error of its client, and when offline."""
    if is_offline():
        raise HubError("offline", name=str(name))
    if importlib.util.find_spec("huggingface_hub") is None:
        raise HubError("no_client")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # read when the client is imported
    from huggingface_hub import errors

    try:
        yield
    except (HubError, StoppedError):
        raise
    except TooLongError as error:
        raise HubError("damaged", file=CONFIG) from error
    except errors.GatedRepoError as error:
        raise HubError("gated", name=name.repo) from error
    except errors.RepositoryNotFoundError as error:
        raise HubError("unknown", name=name.repo) from error
    except errors.RevisionNotFoundError as error:
        raise HubError("unknown_revision", name=name.repo, revision=_said(name)) from error
    except errors.EntryNotFoundError as error:
        raise HubError("odd", name=name.repo, what=_first_line(error)) from error
    except OSError as error:
        if error.errno in _ON_DISK:
            raise HubError("not_written", why=str(error)) from error
        raise HubError("unreachable", name=name.repo, why=_first_line(error)) from error
    except Exception as error:  # the client and its HTTP library raise many types
        raise HubError("unreachable", name=name.repo, why=_first_line(error)) from error


def address_of(name: HubName, commit: str, file: str) -> str:
    """Return the address of a file of a commit."""
    from huggingface_hub import hf_hub_url

    return hf_hub_url(name.repo, file, revision=commit, endpoint=_endpoint())


def get(url: str, into: BoundedFile, *, size: int, begun: int = 0) -> None:
    """Download a file from byte `begun` on, with the user's own token if there is one."""
    from huggingface_hub import constants
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers, disable_progress_bars

    disable_progress_bars()  # each bar counts only one file
    constants.DOWNLOAD_CHUNK_SIZE = _PIECE  # otherwise it reports and keeps only every 10 MB
    headers = {**build_hf_headers(library_name="loupe"), "Accept-Encoding": "identity"}
    stream: Any = into
    http_get(url, stream, resume_size=begun, headers=headers, expected_size=size)


def _listed(found: Any) -> HubFile:  # noqa: ANN401 - of the client
    lfs = getattr(found, "lfs", None)
    sha256 = getattr(lfs, "sha256", None) if lfs else None
    return HubFile(str(found.path), int(found.size or 0), sha256)


def _chosen(name: HubName, listed: Mapping[str, HubFile]) -> list[HubFile]:
    """Choose the files that Loupe reads. Raises HubError if they are not a complete model."""
    if "adapter_config.json" in listed:
        raise HubError("adapter", name=name.repo)
    if CONFIG not in listed:
        raise HubError("no_config", name=name.repo)
    small = [listed[each] for each in SMALL if each in listed]
    if "tokenizer.json" not in listed:
        others = [listed[each] for each in _VOCABULARIES if each in listed]
        if not others and "vocab.json" not in listed:
            raise HubError("no_tokenizer", name=name.repo)
        small += others
    most = SMALL | _VOCABULARIES
    for file in small:
        if file.size > most[file.name]:
            raise HubError("large_file", file=file.name, size=in_words(file.size))
    weights = _weights(name, listed)
    if sum(file.size for file in weights) > MOST_WEIGHTS:
        total = sum(file.size for file in weights)
        raise HubError(
            "too_large", name=name.repo, size=in_words(total), most=in_words(MOST_WEIGHTS)
        )
    return [file for file in small if file.name != INDEX or len(weights) > 1] + weights


def _weights(name: HubName, listed: Mapping[str, HubFile]) -> list[HubFile]:
    if _WEIGHTS in listed:
        return [listed[_WEIGHTS]]
    shards = sorted(each for each in listed if _SHARD.fullmatch(each)) if INDEX in listed else []
    if not shards:
        others: Sequence[str] = [each for each in listed if each.endswith(_OTHER_WEIGHTS)]
        reason = "no_safetensors" if others else "no_weights"
        raise HubError(reason, name=name.repo, file=shorten(others[0]) if others else "")
    if len(shards) > _MOST_SHARDS:
        raise HubError("odd", name=name.repo, what=f"{len(shards)} files of weights")
    return [listed[each] for each in shards]


def _config(name: HubName, commit: str, file: HubFile) -> dict[str, Any]:
    """Read the model's config.json without keeping it."""
    read = BoundedFile(None, file.size)
    get(address_of(name, commit, CONFIG), read, size=file.size)
    try:
        return read_object(read.content(), where=CONFIG)
    except ValueError as error:
        raise HubError("odd", name=name.repo, what=str(error)) from error


def _check_config(name: HubName, config: Mapping[str, Any]) -> None:
    """Refuse before the download any config that Loupe would refuse to open."""
    if config.get("auto_map"):
        raise HubError("own_code", name=name.repo)
    if config.get("quantization_config") or config.get("compression_config"):
        raise HubError("quantised", name=name.repo)


def _endpoint() -> str | None:
    return os.environ.get("HF_ENDPOINT") or None


def _said(name: HubName) -> str:
    return name.revision or MAIN


def _first_line(error: BaseException) -> str:
    lines = (line.strip() for line in str(error).split("\n"))
    return shorten(next(filter(None, lines), type(error).__name__))
