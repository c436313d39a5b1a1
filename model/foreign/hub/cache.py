"""Models in the user's Hugging Face cache, found by name without asking the network.

A folder `models--org--name` of the cache has `refs/`, a file with the commit of each branch or tag;
`snapshots/`, a folder of links for each commit; and `blobs/`, the files to which these links lead.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from model.files.durable import read_file
from model.foreign.hub.names import MAIN, SHORT, HubError, HubName, is_revision, repo_of

MOST_ENTRIES = 500
"""The largest number of models of a cache that Loupe lists."""
_MOST_REFS = 200
_PLAIN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")
"""Names of snapshots: commits, and no path to anywhere else."""
_CONFIG, _TOKENIZER = "config.json", "tokenizer.json"
_INSTEAD = ("source.spm", "target.spm")
_ANY_WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "*.bin", "*.bin.index.json", "*.pt")


@dataclass(frozen=True)
class CachedModel:
    """One commit of a model in the cache."""

    repo: str
    commit: str
    path: Path
    """The snapshot: a folder of a model like any other."""

    @cached_property
    def revision(self) -> str | None:
        """A branch or tag that names the commit, preferably the default one; None if none does."""
        refs = self.path.parent.parent / "refs"
        names = (MAIN, *_names_in(refs))
        return next((name for name in names if _commit_of(refs / name) == self.commit), None)

    @property
    def name(self) -> str:
        """The name by which Loupe finds this commit again; the default branch needs no revision."""
        if self.revision == MAIN:
            return self.repo
        return f"{self.repo}@{self.revision or self.short_commit}"

    @property
    def short_commit(self) -> str:
        """The abbreviated commit, for display."""
        return self.commit[:SHORT]

    def lacks(self) -> str | None:
        """Return the name of a needed file that is missing; None if the model is complete."""
        if not _is_there(self.path / _CONFIG):
            return _CONFIG
        if not any(_is_there(each) for kind in _ANY_WEIGHTS for each in self.path.glob(kind)):
            return "model.safetensors"
        instead = all(_is_there(self.path / name) for name in _INSTEAD)
        # Which of these files Loupe can read is decided when the folder is opened.
        has_words = any(self.path.glob("*token*")) or any(self.path.glob("vocab*"))
        return None if has_words or instead else _TOKENIZER


def hub_cache(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the cache, by the same rules as Hugging Face's own client."""
    home = environment.get("XDG_CACHE_HOME") or str(Path("~") / ".cache")
    hugging_face = environment.get("HF_HOME") or os.path.join(home, "huggingface")  # noqa: PTH118
    named = environment.get("HF_HUB_CACHE") or environment.get("HUGGINGFACE_HUB_CACHE")
    found = named or os.path.join(hugging_face, "hub")  # noqa: PTH118
    return Path(os.path.expandvars(os.path.expanduser(found)))  # noqa: PTH111


def cached_models(root: Path | None = None) -> list[CachedModel]:
    """List the models of a cache, each at its default branch or else at its latest commit."""
    found = map(usual_of, _entries(root or hub_cache()))
    return [each for each in found if each]


def find_cached(name: HubName, root: Path | None = None) -> CachedModel:
    """Find a model in a cache. Raises HubError if it or its commit is missing or incomplete."""
    root = root or hub_cache()
    entry = root / name.folder
    if not (entry / "snapshots").is_dir():
        repos = (_repo(each) or "" for each in _entries(root))
        near = [each for each in repos if _is_like(each, name.repo)]
        reason = "not_cached_near" if near else "not_cached"
        raise HubError(reason, name=name.repo, folder=str(root), near=", ".join(near[:3]))
    found = _at(entry, name)
    if found is None:
        there = ", ".join(sorted(each.revision or each.short_commit for each in _every(entry)))
        raise HubError(
            "no_revision", name=name.repo, revision=name.revision or MAIN, there=there[:300] or "-"
        )
    if lacking := found.lacks():
        raise HubError("partial", name=str(name), lacking=lacking)
    return found


def usual_of(entry: Path) -> CachedModel | None:
    """Find the commit of the default branch in a model's folder of the cache, or the latest."""
    repo = _repo(entry)
    if repo is None:
        return None
    return _at(entry, HubName(repo)) or max(_every(entry), key=_written, default=None)


def origin_of(path: Path) -> CachedModel | None:
    """Return the model and commit to which a snapshot belongs; None for other folders."""
    for folder in (path.absolute(), _resolved(path)):
        repo = repo_of(folder.parent.parent.name)
        if repo and folder.parent.name == "snapshots":
            return CachedModel(repo, folder.name, folder)
    return None


def is_entry(path: Path) -> bool:
    """Return whether a folder is the folder of one model in a cache."""
    return repo_of(path.name) is not None and (path / "snapshots").is_dir()


def snapshot_in(path: Path) -> Path:
    """Return the snapshot to open for a model's folder of the cache; return other paths as is."""
    if not is_entry(path):
        return path
    found = usual_of(path)
    return found.path if found else path


def _entries(root: Path) -> list[Path]:
    try:
        found = sorted(path for path in root.iterdir() if is_entry(path))
    except OSError:
        return []
    return found[:MOST_ENTRIES]


def _repo(entry: Path) -> str | None:
    return repo_of(entry.name)


def _at(entry: Path, name: HubName) -> CachedModel | None:
    """Find the commit for a revision: a branch, a tag, a commit, or the beginning of a commit."""
    revision = name.revision or MAIN
    commit = _commit_of(entry / "refs" / revision)
    if commit and _snapshot(entry, commit):
        return CachedModel(name.repo, commit, entry / "snapshots" / commit)
    begins = [each for each in _commits(entry) if each.startswith(revision)]
    if len(begins) == 1 and len(revision) >= SHORT:
        return CachedModel(name.repo, begins[0], entry / "snapshots" / begins[0])
    return None


def _every(entry: Path) -> list[CachedModel]:
    repo, root = _repo(entry), entry / "snapshots"
    return [CachedModel(repo, commit, root / commit) for commit in _commits(entry) if repo]


def _commits(entry: Path) -> list[str]:
    try:
        names = sorted(path.name for path in (entry / "snapshots").iterdir())
    except OSError:
        return []
    return [name for name in names[:_MOST_REFS] if _snapshot(entry, name)]


def _snapshot(entry: Path, commit: str) -> bool:
    return bool(_PLAIN.fullmatch(commit)) and (entry / "snapshots" / commit).is_dir()


def _names_in(refs: Path) -> list[str]:
    found = (path.relative_to(refs).as_posix() for path in islice(refs.rglob("*"), _MOST_REFS))
    return sorted(name for name in found if is_revision(name))


def _commit_of(ref: Path) -> str | None:
    try:
        return read_file(ref, most=200).decode("ascii").strip()
    except (OSError, ValueError):
        return None


def _written(found: CachedModel) -> float:
    try:
        return found.path.stat().st_mtime
    except OSError:
        return 0.0


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _is_like(repo: str, asked: str) -> bool:
    """Return whether two names differ only in their organisation or in upper and lower case."""
    last = asked.rpartition("/")[2].lower()
    return repo.rpartition("/")[2].lower() == last


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path
