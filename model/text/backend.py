"""What `tokenizers` does: whole words to ids, and the byte-pair encoding of section 5.1."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tokenizers import Tokenizer
from tokenizers.models import BPE, WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import BpeTrainer

WORD_START = "▁"
"""Begins each word, so that the tokens say where the words were."""
_UNKNOWN = "\0"
"""The unknown character to the library: a string that no normalised text holds."""

Merges = tuple[tuple[str, str], ...]


class SubwordToken(NamedTuple):
    """One token of a word: the whole, or a part; a mark that stands alone covers nothing of it."""

    id: int
    word: int
    """Which of the words given."""
    start: int
    end: int


class Backend:
    """The library's encoder for given ids: words looked up whole, or split by a learnt encoding."""

    def __init__(self, ids: Mapping[str, int], merges: Merges | None, *, unknown_id: int) -> None:
        known = {**ids, _UNKNOWN: unknown_id}
        self._mark = "" if merges is None else WORD_START
        self._backend = Tokenizer(
            WordLevel(vocab=known, unk_token=_UNKNOWN)
            if merges is None
            else BPE(vocab=known, merges=list(merges), unk_token=_UNKNOWN)
        )

    def split(self, words: Sequence[str]) -> list[SubwordToken]:
        """Split words into tokens; a word, or in a BPE a character, that is unknown is one."""
        marked, added = [self._mark + word for word in words], len(self._mark)
        found = self._backend.encode(marked, is_pretokenized=True)
        return [
            SubwordToken(token_id, word, max(start - added, 0), end - added)
            for token_id, word, (start, end) in zip(
                found.ids, found.word_ids, found.offsets, strict=True
            )
            if word is not None  # never: only special tokens have none, and there are none
        ]


def learn_byte_pairs(words: Mapping[str, int], size: int) -> tuple[tuple[str, ...], Merges]:
    """Learn the tokens, characters first, and the merges from the counts of words.

    There are `size` tokens, or as many as there are characters, or as there is to learn.
    """
    backend = Tokenizer(BPE())
    backend.pre_tokenizer = WhitespaceSplit()
    marked = (WORD_START + word for word, count in words.items() for _ in range(count))
    backend.train_from_iterator(marked, BpeTrainer(vocab_size=size, show_progress=False))
    learnt = json.loads(backend.to_str())["model"]
    tokens = sorted(learnt["vocab"], key=learnt["vocab"].__getitem__)
    return tuple(tokens), tuple((left, right) for left, right in learnt["merges"])


def join_byte_pairs(tokens: Sequence[str]) -> list[str]:
    """Put the words together again."""
    return "".join(tokens).replace(WORD_START, " ").split()
