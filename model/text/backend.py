"""Encoders from the `tokenizers` library: whole words, and byte-pair encoding (section 5.1)."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tokenizers import Tokenizer
from tokenizers.models import BPE, WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import BpeTrainer

WORD_START = "▁"
"""The character that begins each word, so that tokens show where words were."""
_UNKNOWN = "\0"
"""The library's token for an unknown character: a string that no normalised text contains."""

Merges = tuple[tuple[str, str], ...]


class SubwordToken(NamedTuple):
    """One token of a word: all of it or a part; a lone word mark covers none of it."""

    id: int
    word: int
    """The index of the word."""
    start: int
    end: int


class Backend:
    """The library's encoder for given ids, by whole words or a learned encoding."""

    def __init__(self, ids: Mapping[str, int], merges: Merges | None, *, unknown_id: int) -> None:
        known = {**ids, _UNKNOWN: unknown_id}
        self._mark = "" if merges is None else WORD_START
        self._backend = Tokenizer(
            WordLevel(vocab=known, unk_token=_UNKNOWN)
            if merges is None
            else BPE(vocab=known, merges=list(merges), unk_token=_UNKNOWN)
        )

    def split(self, words: Sequence[str]) -> list[SubwordToken]:
        """Split words into tokens; an unknown word, or in a BPE an unknown character, is one."""
        marked, added = [self._mark + word for word in words], len(self._mark)
        found = self._backend.encode(marked, is_pretokenized=True)
        return [
            SubwordToken(token_id, word, max(start - added, 0), end - added)
            for token_id, word, (start, end) in zip(
                found.ids, found.word_ids, found.offsets, strict=True
            )
            if word
            is not None  # never: only special tokens have no characters, and there are none here
        ]


def learn_byte_pairs(words: Mapping[str, int], size: int) -> tuple[tuple[str, ...], Merges]:
    """Learn the tokens, characters first, and the merges from the counts of words.

    The result has `size` tokens, more if there are more characters, fewer if no merges are left.
    """
    backend = Tokenizer(BPE())
    backend.pre_tokenizer = WhitespaceSplit()
    marked = (WORD_START + word for word, count in words.items() for _ in range(count))
    backend.train_from_iterator(marked, BpeTrainer(vocab_size=size, show_progress=False))
    learnt = json.loads(backend.to_str())["model"]
    tokens = sorted(learnt["vocab"], key=learnt["vocab"].__getitem__)
    return tuple(tokens), tuple((left, right) for left, right in learnt["merges"])


def join_byte_pairs(tokens: Sequence[str]) -> list[str]:
    """Join tokens into words again."""
    return "".join(tokens).replace(WORD_START, " ").split()
