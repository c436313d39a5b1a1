"""A small tokenizer for the sentences of the audit: words, punctuation, contractions, characters.

It reads only what the audit types, and refuses what it would have to guess.
"""

import re
from collections.abc import Mapping
from typing import Any

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
PAD, START, END, UNKNOWN = range(4)
_ELISION = re.compile(r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'", re.IGNORECASE)
_FULL = {"won": "will", "shan": "shall", "can": "can"}
_VERBS = {"m": "am", "re": "are", "s": "is", "ve": "have", "ll": "will"}


class Side:
    """The vocabulary of one side of a checkpoint."""

    def __init__(
        self, about: Mapping[str, Any], ids: dict[str, int], space: Mapping[int, str]
    ) -> None:
        self.kind: str = about["kind"]
        self.lower: bool = about["lower_case"]
        self.ids = ids
        self.names = dict(space)

    def token(self, i: int) -> str:
        """Name an id as pages do, with a space as an open box."""
        name = SPECIALS[i] if i < len(SPECIALS) else self.names[i]
        return "␣" if name == " " else name

    def tokens(self, ids: list[int]) -> list[str]:
        return [self.token(i) for i in ids]

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without special tokens."""
        text = text.lower() if self.lower else text
        split = {"character": list, "space": str.split}.get(self.kind, self._words)
        pieces = split(text)
        return [self.ids.get(piece, UNKNOWN) for piece in pieces]

    def _words(self, text: str) -> list[str]:
        found: list[str] = []
        for word in re.findall(r"[.,?!]|[^\s.,?!]+", text.replace("’", "'")):
            while (
                word not in self.ids and (match := _ELISION.match(word)) and match.end() < len(word)
            ):
                found.append(match[0])
                word = word[match.end() :]
            found += [word] if word in self.ids else self._short(word)
        return found

    def _short(self, word: str) -> list[str]:
        if match := re.fullmatch(r"(\w+)n't", word):
            return [
                _FULL.get(match[1] + "n", match[1]) if match[1] in ("wo", "sha") else match[1],
                "not",
            ]
        if match := re.fullmatch(r"(i|you|he|she|it|we|they)'(\w+)", word):
            return [match[1], _VERBS.get(match[2], match[2])]
        return [word]


class Words:
    """Both sides of a checkpoint's tokenizers."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        sides = [about["source"], about["target"]]
        target = _ids(sides[1]["vocabulary"], {})
        ids = [_ids(sides[0]["vocabulary"], target if about["shared"] else {}), target]
        spaces = [{i: token for token, i in of.items()} for of in ids]
        if about["shared"]:
            spaces = [spaces[0] | spaces[1]] * 2
        self.source, self.target = map(Side, sides, ids, spaces)
        stand = about.get("stand_ins", {})
        self.stand_ins = {
            token
            for name in ("nouns", "plurals", "names", "numbers", "times")
            for token in stand.get(name, [])
        }
        """Tokens that may stand for an unknown word; a text with one is not judged word by word."""

    def written(self, ids: list[int]) -> str:
        """Write ids as text: "l'animal", no space before a full stop, no special tokens."""
        words = [
            self.target.names[i] if i >= len(SPECIALS) else "<unk>" for i in ids if i >= UNKNOWN
        ]
        if self.target.kind == "character":
            return "".join(words)
        text = ""
        closed = True
        for word in words:
            text += word if closed or word in ".,?!" or re.match(r"-[^\W\d_]", word) else f" {word}"
            closed = bool(_ELISION.fullmatch(word.removeprefix("-")))
        return text


def _ids(vocabulary: str | dict[str, int], joint: Mapping[str, int]) -> dict[str, int]:
    """Number tokens that are equal in one text or between both."""
    if isinstance(vocabulary, str):
        tokens = enumerate(vocabulary.split(" "), len(SPECIALS))
        return {token: joint.get(token, i) for i, token in tokens}
    return vocabulary
