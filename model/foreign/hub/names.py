"""Names of models on the Hugging Face Hub, checked before they become paths."""

import re
from dataclasses import dataclass

from model.files.json_fields import shorten
from texts import say_of

MAIN = "main"
"""The default branch, for names without a revision."""
SHORT = 7
"""The length of an abbreviated commit."""

_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?"
_REPO = re.compile(rf"(?:{_PART}/)?{_PART}")
_REVISION = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._/-]{0,98}[A-Za-z0-9_-])?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_PASTED = re.compile(r"https?://(?:www\.)?(?:huggingface\.co|hf\.co)/", re.IGNORECASE)
_FOLDER = "models--"
_LONGEST_REPO = 96
_LONGEST_TYPED = 300


class HubError(ValueError):
    """A model that cannot be found or downloaded; the message says why, and what would work."""

    def __init__(self, reason: str, /, **facts: object) -> None:
        """Take the key of a message in `texts`, and the values to fill in."""
        super().__init__(reason, facts)
        self.reason = reason
        self.facts = facts

    def __str__(self) -> str:
        return say_of("hub", self.reason, **self.facts)


@dataclass(frozen=True)
class HubName:
    """A model's name on the Hub, safe as part of a path and of an address."""

    repo: str
    """`org/name`, or only `name` for the oldest models."""
    revision: str | None = None
    """A branch, a tag or a commit; None for the default branch."""

    def __str__(self) -> str:
        return f"{self.repo}@{self.revision}" if self.revision else self.repo

    @property
    def folder(self) -> str:
        """The name of its folder in the cache."""
        return _FOLDER + self.repo.replace("/", "--")


def read_name(typed: str, revision: str | None = None) -> HubName:
    """Read `org/name`, `org/name@revision`, or the address of a model's page on the Hub.

    Raises HubError on anything else.
    """
    text = typed.strip() if len(typed) <= _LONGEST_TYPED else ""
    address = _PASTED.match(text)
    if address:
        text = text[address.end() :].split("?")[0].split("#")[0].rstrip("/")
        text = re.sub(r"/(?:tree|blob|commit)/", "@", text, count=1)
    repo, at, named = text.partition("@")
    if not is_repo(repo) or (at and not named):
        raise HubError("bad_name", name=shorten(typed))
    wanted = revision if revision is not None else named or None
    if wanted is not None and not is_revision(wanted):
        raise HubError("bad_revision", revision=shorten(wanted))
    return HubName(repo, wanted)


def is_repo(text: str) -> bool:
    """Return whether a text is a valid name of a model on the Hub."""
    fits = _REPO.fullmatch(text) and len(text) <= _LONGEST_REPO
    return bool(fits) and not {"--", ".."} & _pairs(text) and not text.endswith(".git")


def is_revision(text: str) -> bool:
    """Return whether a text is a valid branch, tag or commit, and no path to anywhere else."""
    return bool(_REVISION.fullmatch(text)) and not {"..", "//", "/."} & _pairs(text)


def is_commit(text: str) -> bool:
    """Return whether a text is a full commit hash."""
    return bool(_COMMIT.fullmatch(text))


def repo_of(folder: str) -> str | None:
    """Return the model's name for one of the cache's folders; None for other folders."""
    parts = folder.removeprefix(_FOLDER).split("--")
    repo = "/".join(parts)
    return repo if folder.startswith(_FOLDER) and len(parts) <= 2 and is_repo(repo) else None


def _pairs(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}
