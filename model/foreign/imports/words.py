"""A third-party tokenizer.json as `Words`: readable tokens, and texts of limited length.

Loupe renders no chat templates: a prompt is the typed text, which may contain special tokens.
"""

import copy
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self, TypeVar

from model.files.json_fields import shorten
from model.files.plain_text import plain
from model.foreign.imports.pieces import UNREAD
from model.foreign.imports.token_names import shown_token
from model.foreign.imports.tokenizer_apart import ON_THIS, TokenizerApart, TokenizerError, run_apart
from model.foreign.imports.writing_rules import ends_of, start_of
from model.text.encoding import Encoding
from model.text.normalised import check_length, printable
from model.text.unknown import UnknownWord
from model.text.vocabulary import TokenizerKind
from model.text.words import PlainState, Specials, ids_by_token

T = TypeVar("T")

_WORD = re.compile(r"\w+|[^\w\s]")
_LETTERS = "ab"
"""The first text that each tokenizer must read."""
_TURNS = dict.fromkeys((*range(8234, 8239), *range(8294, 8298)))
_JOINED = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"),
    (" 'm", "'m"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip
"""The spaces that transformers removes from a text in any language."""
_UNSEEN = {code: None for code in range(32) if chr(code) not in "\n\t"} | {127: None}


class BeyondModelError(TokenizerError):
    """A text with a token for which the model has no vector."""

    def __init__(self, token: str, id: int, last: int) -> None:
        self.token, self.id, self.last = token, id, last
        super().__init__(
            f"the tokenizer reads {token} (id {id:,}) in this text, and the model has vectors only "
            f"for the ids 0 to {last:,}. Take the token out of the text or, if the tokenizer adds "
            "it to every text, enlarge the model and save it: "
            "model.resize_token_embeddings(len(tokenizer)) of transformers"
        )


@dataclass(frozen=True, kw_only=True)
class NamedWords(PlainState):
    """The tokens of an id space, by name; subclasses define the names."""

    vocab_size: int
    """The rows of the model's embedding; the tokenizer may have fewer tokens, or more."""
    specials: Specials
    shown: Mapping[int, str] = field(default_factory=dict, hash=False, repr=False)
    """The names displayed for ids instead of their tokens."""

    def tokens(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return the displayed names of ids. Raises ValueError if one is out of range."""
        return tuple(self.token(id) for id in ids)

    def token(self, id: int) -> str:
        """Return the displayed name of one id. Raises ValueError if the model lacks its vector."""
        if not 0 <= id < self.vocab_size:
            if self.knows(id):
                self.check((id,))
            raise ValueError(f"an id must be from 0 to {self.vocab_size - 1}, got {id}")
        return self.shown[id] if id in self.shown else self.name(id)

    def name(self, id: int) -> str:
        """Return the token of one id."""
        raise NotImplementedError

    @property
    def all_tokens(self) -> tuple[str, ...]:
        """Every token of the id space, id 0 first."""
        return self._all_tokens

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """The ids by displayed token, without special ones; of equal tokens the first."""
        return self._vocabulary

    @cached_property
    def _all_tokens(self) -> tuple[str, ...]:
        return tuple(map(self.name, range(self.vocab_size)))

    @cached_property
    def _vocabulary(self) -> Mapping[str, int]:
        return ids_by_token(self.all_tokens, self.special)

    @property
    def special(self) -> Collection[int]:
        """The ids that the vocabulary omits."""
        return self.specials.all

    def naming(self, shown: Mapping[int, str]) -> Self:
        """Make an equal tokenizer that shows other words for some ids."""
        named = copy.copy(self)
        vars(named).update(shown=MappingProxyType(dict(shown)))
        return named

    def check(self, ids: Iterable[int]) -> None:
        """Raise BeyondModelError on the id of a token for which the model has no vector."""
        if beyond := [id for id in ids if not 0 <= id < self.vocab_size]:
            raise BeyondModelError(self.name(beyond[0]), beyond[0], self.vocab_size - 1)

    def knows(self, id: int) -> bool:
        """Return whether the tokenizer has a token with this id."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class ForeignWords(NamedWords):
    """The tokens of a tokenizer.json, and how it splits texts. `read_words` builds it."""

    backend: TokenizerApart = field(repr=False)
    raw: Sequence[str | None] = field(hash=False, repr=False)
    """The tokens in the file, id 0 first; None for an id without a token."""
    added: Mapping[int, bool] = field(hash=False, repr=False)
    """The ids of added tokens, which are matched before all others, and whether each is special."""
    kind: TokenizerKind = "bpe"
    """Whether its tokens are whole words, or parts of words."""
    has_bytes: bool = False
    """Whether the letters of its tokens stand for bytes."""
    cleans: bool = False
    """Whether spaces before commas and full stops are removed from written text."""
    beyond: Mapping[str, int] = field(default_factory=dict, hash=False, repr=False)
    """The ids of the model's vocabulary, by token, for text that no tokenizer piece covers."""

    def encode(self, text: str, *, typed: bool = True) -> Encoding:  # noqa: ARG002 - as own ones
        """Split any text into tokens, without adding any.

        The name of a special token in the text is read as that token. Raises TextTooLongError
        before any processing, TokenizerError if the tokenizer fails.
        """
        check_length(text)
        found, named, spans = self.backend.encode(printable(text))
        ids = self._known_beyond(found, named)
        self.check(ids)
        starts = [match.start() for match in _WORD.finditer(text)]
        spans = tuple((start, end) for start, end in spans)
        return Encoding(
            ids=ids,
            tokens=self.tokens(ids),
            spans=spans,
            units=tuple(_unit(text, span, starts) for span in spans),
            unknown=tuple(
                UnknownWord(printable(text[start:end]), start, end, nearest=())
                for id, (start, end) in zip(ids, spans, strict=True)
                if id == self.specials.unk
            ),
        )

    def _known_beyond(self, ids: list[int], tokens: list[str]) -> tuple[int, ...]:
        if not self.beyond:
            return tuple(ids)
        return tuple(
            self.beyond.get(token, id) if id == self.specials.unk else id
            for id, token in zip(ids, tokens, strict=True)
        )

    def decode(self, ids: Iterable[int]) -> str:
        """Write ids as text for people, without special tokens and marks of text direction."""
        kept = [id for id in ids if 0 <= id < len(self.raw) and self.raw[id] is not None]
        try:
            text = self.backend.decode(kept)
        except TokenizerError:  # tokens that cannot be decoded are still shown
            text = "".join(self.tokens(kept))
        for spaced, joined in _JOINED if self.cleans else ():
            text = text.replace(spaced, joined)
        return text.translate(_TURNS | _UNSEEN)

    def name(self, id: int) -> str:
        """Return the displayed token of one id."""
        raw = self._raw(id)
        if raw is None:
            return f"⟨{id}⟩"
        raw = raw.removeprefix(UNREAD)
        return shown_token(raw, is_added=id in self.added, has_bytes=self.has_bytes)

    def knows(self, id: int) -> bool:
        """Return whether the tokenizer has a token with this id."""
        return self._raw(id) is not None

    def _raw(self, id: int) -> str | None:
        """Return the token of an id as it is in the file; None if there is none."""
        if 0 <= id < len(self.raw):
            return self.raw[id]
        return self.backend.token(id)

    @property
    def special(self) -> Collection[int]:
        """The ids of added tokens that are special."""
        return frozenset(id for id, special in self.added.items() if special)


def guarded(call: Callable[[], T]) -> T:
    """Call a tokenizer in this process. Raises TokenizerError if it fails.

    A panic in its Rust code is not an Exception, and would otherwise end more than this one call.
    """
    try:
        return call()
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            reason = shorten(plain(str(error)))
            raise TokenizerError(f"the tokenizer failed on this text: {reason}") from None
        raise


def read_words(
    data: bytes,
    about: Mapping[str, Any],
    config: Mapping[str, Any],
    *,
    vocab_size: int,
    writing: Mapping[str, Any] | None = None,
) -> ForeignWords:
    """Build a tokenizer from tokenizer.json, tokenizer_config.json and config.json.

    `writing` holds the rules for writing, if they are not in config.json. The tokenizer runs in a
    separate process. Raises ValueError, in a sentence, if the files cannot be read, or if they fail
    on a text of two letters.
    """
    backend = run_apart(data)
    try:
        look = backend.look(vocab_size)
    except TokenizerError as error:
        raise ValueError(f"tokenizer.json cannot be used: {error}") from error
    try:
        around = _around(backend)
    except TokenizerError as error:
        why = str(error).removeprefix(ON_THIS)
        raise ValueError(
            f"tokenizer.json cannot be used; it fails even on the text {_LETTERS!r}: {why}"
        ) from error
    return ForeignWords(
        backend=backend,
        raw=look["tokens"],
        added=dict(look["added"]),
        vocab_size=vocab_size,
        specials=_specials(
            backend, about, config, config if writing is None else writing, vocab_size, around
        ),
        kind="word" if look["model"] == "WordLevel" else "bpe",
        has_bytes='"ByteLevel"' in (look["decoder"] or ""),
    )


def _around(backend: TokenizerApart) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Find the ids that the rules add around a text, by a text of two letters."""
    bare, _, _ = backend.encode(_LETTERS)
    full, _, _ = backend.encode(_LETTERS, around=True)
    for start in range(len(full) - len(bare) + 1):
        if bare and full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    return (), ()


def _specials(
    backend: TokenizerApart,
    about: Mapping[str, Any],
    config: Mapping[str, Any],
    writing: Mapping[str, Any],
    vocab_size: int,
    around: tuple[tuple[int, ...], tuple[int, ...]],
) -> Specials:
    def find(name: str) -> int | None:
        said = about.get(f"{name}_token")
        token = said.get("content") if isinstance(said, dict) else said
        id = backend.find(token) if isinstance(token, str) else config.get(f"{name}_token_id")
        first = id[0] if isinstance(id, list) and id else id
        return first if type(first) is int and 0 <= first < vocab_size else None

    return Specials(
        pad=find("pad"),
        bos=find("bos"),
        eos=find("eos"),
        unk=find("unk"),
        mask=find("mask"),
        start=start_of(writing, config, vocab_size=vocab_size),
        around=around,
        lacking=frozenset(id for side in around for id in side if id >= vocab_size),
        before_prompt=around[0],
        after_prompt=around[1],
        stops=ends_of(writing, vocab_size=vocab_size),
    )


def _unit(text: str, span: tuple[int, int], starts: list[int]) -> int | None:
    """Return the number of the word to which a token belongs, by its first visible character."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    return bisect_right(starts, start) - 1 if start < end and starts else None
