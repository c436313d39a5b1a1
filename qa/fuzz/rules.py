"""Parts of a tokenizer.json that may run out of bounds, or that do not fit."""

import base64
import struct
from collections.abc import Mapping
from typing import Any


def charsmap(texts: Mapping[str, str]) -> str:
    """Pack SentencePiece's table of characters in the format of its files.

    It is a trie as `darts-clone` packs it, here with 256 places for each node, and the texts to
    which its leaves point.
    """
    values = {key.encode(): text.encode() + b"\0" for key, text in texts.items()}
    nodes = sorted({b""} | {key[: i + 1] for key in values for i in range(len(key))})
    bases = {node: 256 * (i + 1) for i, node in enumerate(nodes)}
    units, written = [0] * 256 * (len(nodes) + 1), b""
    for node, base in bases.items():
        place = bases[node[:-1]] + node[-1] if node else 0
        units[place] = (place ^ base) << 10 | (node[-1] if node else 0)
        if node in values:
            units[place] |= 1 << 8
            units[base] = 1 << 31 | len(written)
            written += values[node]
    packed = struct.pack(f"<I{len(units)}I", 4 * len(units), *units)
    return base64.b64encode(packed + written).decode()


def replace(pattern: str, content: str, kind: str = "String") -> dict[str, Any]:
    """Write a step that replaces a text by another."""
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def steps(inner: str, *parts: Mapping[str, Any], times: int = 1) -> dict[str, Any]:
    """Write repeated steps."""
    return {"type": "Sequence", inner: [*parts] * times}


def template(*pieces: str, ids: int = 1, token: str = "x") -> dict[str, Any]:
    """Write the tokens around a text, which is A (B, of a pair); all others are so many ids."""
    single = [
        {("Sequence" if piece in "AB" else "SpecialToken"): {"id": piece, "type_id": 0}}
        for piece in pieces
    ]
    known = {
        piece: {"id": piece, "ids": [1] * ids, "tokens": [token] * ids}
        for piece in set(pieces) - {"A", "B"}
    }
    return {"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": known}


def split(pattern: str) -> dict[str, Any]:
    """Write a step that splits a text by a regular expression."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def normalizer(*parts: Mapping[str, Any], times: int = 1) -> dict[str, Any]:
    return {"normalizer": steps("normalizers", *parts, times=times)}


def decoder(*parts: Mapping[str, Any]) -> dict[str, Any]:
    return {"decoder": steps("decoders", *parts, times=40)}


def table(key: str, text: str) -> dict[str, Any]:
    return {"type": "Precompiled", "precompiled_charsmap": charsmap({key: text})}


_DOUBLED = [replace(letter, 2 * letter) for letter in "abcdef"]
_BYTES = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
_METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False}
_UNKNOWN = {"unk_token": "x" * 10_000_000}

ENDLESS: Mapping[str, Mapping[str, Any]] = {
    "normalizer of doubled letters": normalizer(*_DOUBLED, times=16),
    "normalizer that writes much": {"normalizer": replace("a", "a" * 1_000)},
    "normalizer that writes at every place": normalizer(replace("", "a"), times=40),
    "normalizer that finds nothing everywhere": normalizer(
        replace("(?=a)", "a", "Regex"), times=40
    ),
    "normalizer with a long beginning": {"normalizer": {"type": "Prepend", "prepend": "x" * 2_000}},
    "normalizer of bytes of bytes": normalizer({"type": "ByteLevel"}, times=40),
    "table of a long text": {"normalizer": table("a", "x" * 10**6)},
    "table of many bytes": {"normalizer": table("é", "x" * 4_000)},
    "tables one after the other": normalizer(table("a", "aaaa"), times=9),
    "pre-tokenizer of bytes of bytes": {
        "pre_tokenizer": steps("pretokenizers", {**_BYTES, "use_regex": False}, times=40)
    },
    "pre-tokenizer of signs of signs": {
        "pre_tokenizer": steps(
            "pretokenizers", _METASPACE, {**_METASPACE, "replacement": " "}, times=40
        )
    },
    "post-processor of a million ids": {"post_processor": template("A", "x", ids=1_000_000)},
    "post-processor that names one a million times": {
        "post_processor": template("A", *["x"] * 100_000)
    },
    "post-processor that repeats a text": {"post_processor": template(*["A"] * 10_000)},
    "decoder of doubled letters": decoder(*_DOUBLED),
    "decoder that writes much": {"decoder": replace("a", "a" * 10_000)},
    "decoder that finds nothing everywhere": decoder(replace("", "a", "Regex")),
    "decoder of a suffix of nothing": decoder({"type": "BPEDecoder", "suffix": ""}),
    "decoder of words that nothing ends": decoder(
        {"type": "CTC", "pad_token": "x", "word_delimiter_token": "", "cleanup": True}
    ),
    "steps in steps": {
        "decoder": steps("decoders", *[steps("decoders", {"type": "Fuse"}, times=20)] * 20)
    },
    "an added token of 10 MB": {
        "added_tokens": [
            {
                "id": 0, "content": "x" * 10_000_000, "single_word": False, "lstrip": False,
                "rstrip": False, "normalized": True, "special": True,
            }
        ]
    },
    "an unknown token of 10 MB": {
        "model": {"type": "WordLevel", "vocab": {"x" * 10_000_000: 0}, **_UNKNOWN}
    },
    "a prefix of 10 MB": {
        "model": {
            "type": "WordPiece", "vocab": {"a": 0, "b": 1}, "unk_token": "b",
            "continuing_subword_prefix": "#" * 10_000_000, "max_input_chars_per_word": 100,
        }
    },
    "a suffix of 10 MB": {
        "model": {
            "type": "BPE", "vocab": {"a": 0}, "merges": [], "end_of_word_suffix": "x" * 10_000_000,
        }
    },
    "words of any length": {
        "model": {
            "type": "WordPiece", "vocab": {"a": 0}, "unk_token": "a",
            "continuing_subword_prefix": "##", "max_input_chars_per_word": 10**6,
        }
    },
}  # fmt: skip
"""Rules that produce too many characters or ids: fields of the file by name."""

SLOW = "a*a*\\w(?<!c|a)"
"""Takes cubic time for a text of `a`, and at no place so long that it gives up."""

ODD: Mapping[str, list[Any]] = {
    "normalizer": [
        None,
        {"type": "Lowercase"},
        replace("(a+)+$", "b", "Regex"),
        replace("", "a" * 50),
        steps("normalizers", {"type": "Append", "append": "a"}, times=40),
        {"type": "Precompiled", "precompiled_charsmap": charsmap({"a": "á", "ﷺ": "abc"})},
        {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
        {"type": "Precompiled", "precompiled_charsmap": ""},
    ],
    "pre_tokenizer": [
        None,
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        split("(x+x+)+y"),
        split("("),
        split("(?:a(*COUNT[x]))*(*FAIL)"),
        split(SLOW),
        {"type": "FixedLength", "length": 0},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    ],
    "post_processor": [
        None,
        {"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}},
        template("<s>", *["<s>"] * 600),
        template("B"),
        template("A", token="x" * 1_000),
    ],
    "decoder": [
        None,
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        {"type": "Strip", "content": "a", "start": 1_000_000, "stop": 1_000_000},
        {"type": "WordPiece", "prefix": "", "cleanup": True},
        replace("(a+)+$", "b", "Regex"),
        replace(SLOW, "b", "Regex"),
        steps("decoders", {"type": "ByteFallback"}, {"type": "Fuse"}, times=30),
    ],
    "added_tokens": [
        [],
        [
            {
                "id": 0, "content": "", "single_word": False, "lstrip": True, "rstrip": True,
                "normalized": True, "special": True,
            }
        ],
    ],
    "model": [
        {"type": "BPE"},
        {"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": 0},
        {"type": "Unigram", "vocab": [["a" * i, -1.0] for i in range(1, 400)], "unk_id": 0},
        {"type": "WordLevel", "vocab": {"a": 2**32 - 1}, "unk_token": "a"},
    ],
    "padding": [
        {
            "strategy": {"Fixed": 2**62}, "direction": "Right", "pad_to_multiple_of": 2**62,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "x",
        }
    ],
    "truncation": [
        {"direction": "Left", "max_length": 0, "strategy": "LongestFirst", "stride": 2**40}
    ],
}  # fmt: skip
"""Rules that may fail, or take long: other values of the parts."""
