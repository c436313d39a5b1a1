"""The parts of a tokenizer.json that the browser implements; all others are refused.

`viz/pictures/browser/twin/text/foreign/` implements them.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from model.files.json_fields import shorten
from model.foreign.imports.portable_patterns import why_not

_MOST_TOKENS, _MOST_MERGES, _MOST_ADDED = 400_000, 800_000, 10_000
_LONGEST_ADDED, _LONGEST_CONTENT, _LONGEST_TABLE, _MOST_PARTS = 200, 20, 4_000_000, 40
_LONGEST_PIECE, _LONGEST_WORD = 64, 200
"""The largest length in characters of a Unigram token and of a WordPiece word; the time for a text
grows with their squares."""
_NORMALIZERS = (
    "BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Precompiled", "Prepend",
    "Replace", "Strip", "StripAccents",
)  # fmt: skip
_PRE_TOKENIZERS = (
    "BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Punctuation", "Split", "Whitespace",
    "WhitespaceSplit",
)  # fmt: skip
_DECODERS = (
    "BPEDecoder", "ByteFallback", "ByteLevel", "Fuse", "Metaspace", "Replace", "Strip", "WordPiece",
)  # fmt: skip
_POST_PROCESSORS = ("BertProcessing", "ByteLevel", "RobertaProcessing", "TemplateProcessing")


class NotPortableError(ValueError):
    """A tokenizer that the browser cannot implement; the message names the feature."""


def portable(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules that a browser needs, from those that the tokenizers library wrote.

    Raises NotPortableError on a feature that the browser does not implement, or whose time would
    not be bounded there.
    """
    sides = {
        "normalizer": ("normalizers", _NORMALIZERS),
        "pre_tokenizer": ("pretokenizers", _PRE_TOKENIZERS),
        "decoder": ("decoders", _DECODERS),
    }
    for name, (inner, known) in sides.items():
        parts, what = [*_parts(rules[name], inner)], name.replace("_", "-")
        _at_most(len(parts), _MOST_PARTS, f"parts in its {what}")
        for part in parts:
            _check(what, part, known)
        why = why_not(*_patterns(parts))
        if why:
            raise NotPortableError(f"its {what} has patterns with {why}")
    trims = []
    for part in _parts(rules["post_processor"], "processors"):
        _check("post-processor", part, _POST_PROCESSORS)
        if part.get("trim_offsets"):
            trims.append(bool(part["add_prefix_space"]))
    model, added = rules["model"], rules["added_tokens"]
    _check_model(model)
    _at_most(len(added), _MOST_ADDED, "added tokens")
    _at_most(max((len(token["content"]) for token in added), default=0), _LONGEST_ADDED,
             "characters in an added token")  # fmt: skip
    kept = {name: rules[name] for name in (*sides, "model", "added_tokens")}
    return kept | {"trims": trims}


def _parts(part: Mapping[str, Any] | None, inner: str) -> Iterable[Mapping[str, Any]]:
    """Yield the parts of a sequence, including those of nested sequences."""
    if part is None:
        return
    if part["type"] == "Sequence":
        for each in part[inner]:
            yield from _parts(each, inner)
    else:
        yield part


def _patterns(parts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the regular expressions in some parts."""
    said = (part.get("pattern") or {} for part in parts)
    return [pattern["Regex"] for pattern in said if "Regex" in pattern]


def _check(what: str, part: Mapping[str, Any], known: Iterable[str]) -> None:
    kind = part["type"]
    if kind not in known:
        raise NotPortableError(f"its {what} {shorten(str(kind))} has no browser version")
    for pattern in _patterns([part]):
        if why := why_not(pattern):
            raise NotPortableError(f"its {what} has the pattern {shorten(pattern)}, with {why}")
    for name in ("content", "prepend"):
        text = part.get(name) or ""
        _at_most(len(text), _LONGEST_CONTENT, f"characters that its {what} {kind} writes")
    table = part.get("precompiled_charsmap") or ""
    _at_most(len(table), _LONGEST_TABLE, f"characters in the table of its {what}")


def _at_most(found: int, most: int, what: str) -> None:
    if found > most:
        raise NotPortableError(f"it has {found:,} {what}; the browser accepts at most {most:,}")


def _check_model(model: Mapping[str, Any]) -> None:
    kind = model["type"]
    if kind not in _MODELS:
        raise NotPortableError(f"its model {shorten(str(kind))} has no browser version")
    _at_most(len(model["vocab"]), _MOST_TOKENS, "tokens")
    _MODELS[kind](model)


def _check_byte_pairs(model: Mapping[str, Any]) -> None:
    _at_most(len(model["merges"]), _MOST_MERGES, "merges")
    if model["dropout"]:
        raise NotPortableError("its BPE has dropout, which chooses tokens at random")
    if model["continuing_subword_prefix"]:
        raise NotPortableError("its BPE has a continuing_subword_prefix")
    _check_unknown(model)
    if model["byte_fallback"] and any(f"<0x{b:02X}>" not in model["vocab"] for b in range(256)):
        raise NotPortableError("its byte_fallback has no tokens for some bytes")


def _check_word_pieces(model: Mapping[str, Any]) -> None:
    _check_unknown(model)
    _at_most(model["max_input_chars_per_word"], _LONGEST_WORD, "characters in a word")


def _check_unigram(model: Mapping[str, Any]) -> None:
    if model["unk_id"] is None:
        raise NotPortableError("its Unigram has no token for unknown characters")
    longest = max((len(token) for token, _ in model["vocab"]), default=0)
    _at_most(longest, _LONGEST_PIECE, "characters in a token of its Unigram")


def _check_unknown(model: Mapping[str, Any]) -> None:
    unknown = model["unk_token"]
    if unknown is not None and unknown not in model["vocab"]:
        raise NotPortableError("its token for unknown characters is not in its vocabulary")


_MODELS: Mapping[str, Callable[[Mapping[str, Any]], None]] = MappingProxyType(
    {
        "BPE": _check_byte_pairs,
        "WordPiece": _check_word_pieces,
        "Unigram": _check_unigram,
        "WordLevel": _check_unknown,
    }
)
