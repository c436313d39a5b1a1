"""Reads SentencePiece's own files, which Marian's folders have instead of a tokenizer.json.

A file is a protocol buffer (`sentencepiece_model.proto`) with pieces, their scores, and the rules
for normalising a text. Loupe parses it and writes a tokenizer.json that computes the same.
"""

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

_NORMAL, _UNKNOWN, _CONTROL = 1, 2, 3
_UNIGRAM = 1
_MOST_PIECES = 300_000
_LONGEST_PIECE = 200
"""The largest size in bytes. SentencePiece itself writes no pieces of more than 16 characters."""
UNREAD = "\0"
"""The prefix of a token that belongs to the other side alone, so that no text can contain it."""


Ids = dict[str, int]
"""Ids by token."""


@dataclass(frozen=True)
class Pieces:
    """The contents of a SentencePiece file with a unigram model, as Marian and T5 have."""

    scores: Mapping[str, float]
    """The natural logarithm of the probability of each piece."""
    charsmap: bytes
    """The rules for normalising characters, in SentencePiece's own format."""


def read_pieces(data: bytes) -> Pieces:
    """Read a file. Raises ValueError, in a sentence, if it is invalid or unsupported."""
    scores: dict[str, float] = {}
    kind, charsmap = _UNIGRAM, b""
    for number, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            piece, score, what = _piece(value)
            if what == _NORMAL:
                scores[piece] = score
            elif what not in (_UNKNOWN, _CONTROL):
                raise ValueError(
                    "it has byte pieces or user-defined pieces, which Loupe does not read"
                )
        elif number == 2 and isinstance(value, bytes):
            kind = dict(_fields(value)).get(3, _UNIGRAM)
        elif number == 3 and isinstance(value, bytes):
            charsmap = _charsmap(dict(_fields(value)))
        if len(scores) > _MOST_PIECES:
            raise ValueError(f"it has more than {_MOST_PIECES:,} pieces")
    if kind != _UNIGRAM:
        raise ValueError(
            "it is not a unigram model, the only kind of SentencePiece file that Loupe reads: "
            "save a tokenizer.json in the folder instead"
        )
    if not scores:
        raise ValueError("it has no pieces; copy it again")
    return Pieces(scores, charsmap)


def read_ids(values: Mapping[str, object]) -> Ids:
    """Read a vocab.json: ids of tokens, from 0 on without gaps. Raises ValueError otherwise."""
    ids = {token: id for token, id in values.items() if type(id) is int}
    if len(ids) != len(values) or sorted(ids.values()) != list(range(len(values))):
        raise ValueError("its ids must be whole numbers that count from 0, one for each token")
    if len(ids) > _MOST_PIECES:
        raise ValueError(f"it has more than {_MOST_PIECES:,} tokens")
    return ids


def tokenizer_json(
    pieces: Pieces, ids: Mapping[str, int], *, unknown: str = "<unk>", end: str = "</s>"
) -> bytes:
    """Write a tokenizer.json that splits a text into the pieces, with the ids of a vocabulary.

    Two sides may share the vocabulary. A token that only the other side has gets a name that no
    text contains, because its id is never read from a text. A token in double angle brackets, such
    as `>>fra<<`, is never split, so a text can name its language.
    """
    if missing := [token for token in (unknown, end) if token not in ids]:
        raise ValueError(f"its vocabulary has no {missing[0]}")
    tokens = sorted(ids, key=ids.__getitem__)
    special = [t for t in tokens if t in (unknown, end, "<pad>") or _names_a_language(t)]
    least = min(pieces.scores.values())
    known = {**pieces.scores, **dict.fromkeys(special, least)}
    scored = [(t if t in known else UNREAD + t, known.get(t, least)) for t in tokens]
    made = Tokenizer(models.Unigram(scored, unk_id=ids[unknown], byte_fallback=False))
    steps: list[normalizers.Normalizer] = [
        normalizers.Strip(),
        normalizers.Replace(Regex(" {2,}"), " "),
    ]
    if pieces.charsmap:
        steps.insert(0, normalizers.Precompiled(pieces.charsmap))
    made.normalizer = normalizers.Sequence(steps)
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    made.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    made.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", special_tokens=[(end, ids[end])]
    )
    return made.to_str().encode()


def _names_a_language(token: str) -> bool:
    return token.startswith(">>") and token.endswith("<<")


def _piece(data: bytes) -> tuple[str, float, int]:
    given = dict(_fields(data))
    text, score, what = given.get(1), given.get(2, b"\0\0\0\0"), given.get(3, _NORMAL)
    if not isinstance(text, bytes) or not isinstance(score, bytes) or len(score) != 4:
        raise ValueError("one of its pieces has no text or no score; copy it again")
    if len(text) > _LONGEST_PIECE:
        raise ValueError(
            f"one of its pieces has {len(text):,} bytes; Loupe reads at most {_LONGEST_PIECE:,}"
        )
    (number,) = struct.unpack("<f", score)
    if not math.isfinite(number) or not isinstance(what, int):
        raise ValueError("one of its pieces has a score that is not a number; copy it again")
    return text.decode(), number, what


def _charsmap(given: Mapping[int, int | bytes]) -> bytes:
    for number, name in ((3, "add_dummy_prefix"), (4, "remove_extra_whitespaces")):
        if given.get(number, 1) != 1:
            raise ValueError(f"it was made without {name}, which Loupe requires")
    charsmap = given.get(2, b"")
    if not isinstance(charsmap, bytes) or int.from_bytes(charsmap[:4], "little") > len(charsmap):
        raise ValueError("its rules for normalising characters cannot be read; copy it again")
    return charsmap


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a message: their numbers, with whole numbers or bytes as values.

    The format: https://protobuf.dev/programming-guides/encoding. Raises ValueError if the message
    ends too early or is invalid.
    """
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == 2:
            length, at = _varint(data, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError("it is not a SentencePiece file, or it was changed; copy it again")
        if at + length > len(data):
            raise ValueError("it ends in the middle of a piece; copy it again")
        yield number, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for i in range(10):
        if at + i >= len(data):
            break
        byte = data[at + i]
        value |= (byte & 127) << (7 * i)
        if byte < 128:
            return value, at + i + 1
    raise ValueError("it is not a SentencePiece file, or it was cut; copy it again")
