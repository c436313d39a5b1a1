"""How much longer a foreign tokenizer may make a text, told from its parts before it reads one.

A part is a step, or a sequence of them, and a step of a known kind makes what it is given at most
so many times as long, and a few bytes longer. The kinds are all those of `tokenizers` 0.23.
"""

import base64
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from model.files.json_fields import shorten

MOST_GROWTH = 256
"""Times as long: NFKD, lower case and a table of SentencePiece's make up 181."""
_MOST_ADDED = 600
"""Bytes, or tokens of a template."""
_MOST_STEPS = 100
_MOST_AROUND = 100
"""Tokens that are put around a text."""
_LONGEST_WORD = 1_000
"""Characters of a word that WordPiece looks at: it takes the square of them."""
_LONGEST_TOKEN = 1_000
"""Characters. Real vocabularies have some of 256."""
_LONGEST_AFFIX = 100
_MODELS = ("BPE", "Unigram", "WordLevel", "WordPiece")
_INNER = ("normalizers", "pretokenizers", "processors", "decoders")
_LONGEST_KEY = 5
"""Bytes of what a table is asked for at once."""


class Growth(NamedTuple):
    """What a step makes of any number of bytes: so many times as many, and so many more."""

    times: float = 1.0
    more: float = 0.0

    def then(self, step: "Growth") -> "Growth":
        """Compute what both make, one after the other."""
        return Growth(self.times * step.times, self.more * step.times + step.more)


_SAME = Growth()
_SPACED = Growth(2, 1)
"""A space before and after every letter."""
Step = Mapping[str, Any]


def check_growth(look: Mapping[str, Any]) -> None:
    """Raise ValueError, in a sentence, on a tokenizer that could blow a text up, or ids.

    Args:
        look: What `TokenizerApart.look` gives.
    """
    _check_model(look)
    for name, (kinds, most) in _PARTS.items():
        if said := look["parts"][name]:
            growth = _growth(json.loads(said), kinds, name)
            if growth.times > most.times or growth.more > most.more:
                raise ValueError(_WORDS[name])


def _check_model(look: Mapping[str, Any]) -> None:
    if look["model"] not in _MODELS:
        raise ValueError(f"its tokenizer's model is of an unknown kind, {shorten(look['model'])}")
    options = look["options"]
    word = options["max_input_chars_per_word"] or 0
    if word > _LONGEST_WORD:
        raise ValueError(
            f"its tokenizer looks at words of {word:,} characters, at most "
            f"{_LONGEST_WORD:,} are read"
        )
    longest = max(look["longest"], len(options["unk_token"] or ""))
    if longest > _LONGEST_TOKEN:
        raise ValueError(
            f"its tokenizer has a token of {longest:,} characters, at most {_LONGEST_TOKEN:,} are "
            "read"
        )
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        if len(options[name] or "") > _LONGEST_AFFIX:
            raise ValueError(
                f"its tokenizer's {name} has {len(options[name]):,} characters, at most "
                f"{_LONGEST_AFFIX} are read"
            )


_Kinds = Mapping[str, Callable[[Step], Growth]]


def _growth(part: Step, kinds: _Kinds, name: str) -> Growth:
    growth, left, steps = _SAME, [part], 0
    while left:
        step, steps = left.pop(), steps + 1
        kind = step["type"]
        if kind == "Sequence":
            left += reversed(next(step[inner] for inner in _INNER if inner in step))
        elif kind in kinds:
            growth = growth.then(kinds[kind](step))
        else:
            raise ValueError(f"its tokenizer's {name} is of an unknown kind, {shorten(kind)}")
        if steps > _MOST_STEPS:
            raise ValueError(f"its tokenizer's {name} has more than {_MOST_STEPS} steps")
    return growth


def _size(text: str) -> int:
    return len(text.encode())


def _same(_step: Step) -> Growth:
    return _SAME


def _replaced(step: Step) -> Growth:
    pattern, content = step["pattern"], _size(step["content"])
    least = _size(pattern["String"]) if "String" in pattern else _least(pattern["Regex"])
    if not least:  # it stands between any two bytes
        return Growth(1 + content, content)
    return Growth(max(1.0, content / least))


_ONE = re.compile(
    r"(?:[^\\\[\](){}.*+?|^$]|\\[sSdDwW]|\\p\{\w+\})(?:\+|\{(?P<least>[1-9]\d?),\d*\})?"
)


def _least(pattern: str) -> int:
    """Count the bytes of the shortest text that an expression finds; 0 if that is not plain."""
    found = _ONE.fullmatch(pattern)
    return int(found["least"] or 1) if found else 0


def _prepended(step: Step) -> Growth:
    return Growth(1, _size(step["prepend"]))


def _mapped(step: Step) -> Growth:
    """Compute how much longer a table of SentencePiece's makes a text: its longest value by key.

    That is a trie as `darts-clone` packs it, and the texts that its leaves point to. A stretch of
    text becomes what its shortest beginning that is a key points to.
    """
    data = base64.b64decode(step["precompiled_charsmap"])
    size = int.from_bytes(data[:4], "little") // 4
    units = np.frombuffer(data, "<u4", count=size, offset=4).astype(np.int64)
    texts = np.frombuffer(data, np.uint8, offset=4 + 4 * size)
    ends = np.append(np.flatnonzero(texts == 0), len(texts))
    labels, places = units & 0x800000FF, np.arange(size)
    bases = places ^ ((units >> 10) << ((units & 0x200) >> 6))
    nodes, times = places == 0, 1.0
    for depth in range(1, _LONGEST_KEY + 1):
        above = np.zeros((size | 0xFF) + 1, bool)
        above[bases[nodes & (bases < len(above))]] = True
        nodes = (labels > 0) & (labels < 256) & above[places ^ (labels & 0xFF)]
        leaves = bases[nodes & (units >> 8 & 1 > 0) & (bases < size)]
        values = units[leaves] & 0x7FFFFFFF
        values = values[values < len(texts)]
        lengths = ends[np.searchsorted(ends, values)] - values
        times = max(times, float(lengths.max(initial=0)) / depth)
    return Growth(times)


def _by_template(step: Step) -> Growth:
    """Compute what a template makes of ids: of those of a text, which it must not repeat."""
    repeated, most = 0, 0
    for pieces in (step["single"], step["pair"]):
        texts = [piece["Sequence"]["id"] for piece in pieces if "Sequence" in piece]
        named = [piece["SpecialToken"]["id"] for piece in pieces if "SpecialToken" in piece]
        known = step["special_tokens"]
        added = sum(len(known[name]["ids"]) for name in named if name in known)
        repeated = max(repeated, *map(texts.count, ("A", "B")))
        most = max(most, added)
    return Growth(max(1, repeated), most)


def _spaced_by_a_sign(step: Step) -> Growth:
    sign = _size(step["replacement"])
    return Growth(2 * sign, sign)


def _freed_of(name: str) -> Callable[[Step], Growth]:
    """Describe a step that puts a space in the place of what a field names, even of nothing."""
    return lambda step: _SAME if step[name] else _SPACED


_NORMALIZERS: _Kinds = {
    "BertNormalizer": lambda _: Growth(7.5),  # spaces round Chinese, then NFD, then lower case
    "ByteLevel": lambda _: Growth(2),
    "Lowercase": lambda _: Growth(1.5),
    "NFC": lambda _: Growth(3),
    "NFD": lambda _: Growth(3),
    "NFKC": lambda _: Growth(11),
    "NFKD": lambda _: Growth(11),
    "Nmt": _same,
    "Precompiled": _mapped,
    "Prepend": _prepended,
    "Replace": _replaced,
    "Strip": _same,
    "StripAccents": _same,
}
_PRE_TOKENIZERS: _Kinds = {
    "BertPreTokenizer": _same,
    "ByteLevel": lambda _: Growth(4, 1),  # a letter for each byte, and a space before each piece
    "CharDelimiterSplit": _same,
    "Digits": _same,
    "FixedLength": _same,
    "Metaspace": _spaced_by_a_sign,
    "Punctuation": _same,
    "Split": _same,
    "UnicodeScripts": _same,
    "Whitespace": _same,
    "WhitespaceSplit": _same,
}
_POST_PROCESSORS: _Kinds = {
    "BertProcessing": lambda _: Growth(1, 2),
    "ByteLevel": _same,
    "RobertaProcessing": lambda _: Growth(1, 2),
    "TemplateProcessing": _by_template,
}
_DECODERS: _Kinds = {
    "BPEDecoder": _freed_of("suffix"),
    "ByteFallback": _same,
    "ByteLevel": lambda _: Growth(1.5),  # U+FFFD for what is no text
    "CTC": _freed_of("word_delimiter_token"),
    "Fuse": _same,
    "Metaspace": _same,
    "Replace": _replaced,
    "Strip": _same,
    "WordPiece": lambda _: Growth(1, 1),
}
_PARTS = {
    "normalizer": (_NORMALIZERS, Growth(MOST_GROWTH, _MOST_ADDED)),
    "pre_tokenizer": (_PRE_TOKENIZERS, Growth(MOST_GROWTH, _MOST_ADDED)),
    "post_processor": (_POST_PROCESSORS, Growth(1, _MOST_AROUND)),
    "decoder": (_DECODERS, Growth(MOST_GROWTH, _MOST_ADDED)),
}
_LONGER = f"its tokenizer could make a text more than {MOST_GROWTH} times as long"
_WORDS = {
    "normalizer": f"{_LONGER} before it is read",
    "pre_tokenizer": f"{_LONGER} before it is read",
    "post_processor": f"its tokenizer puts more than {_MOST_AROUND} tokens around a text, or "
    "repeats it",
    "decoder": f"{_LONGER} when it writes one",
}
