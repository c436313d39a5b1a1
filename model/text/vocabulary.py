"""The tokens of a tokenizer before it is built, learned from texts or read from JSON."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from model.files.json_fields import check_fields, shorten
from model.text.backend import Merges, learn_byte_pairs
from model.text.normalised import WholeWords, normalise, printable, split_words, splits
from model.text.piece import Piece

TokenizerKind = Literal["word", "character", "bpe"]


@dataclass(frozen=True)
class Vocabulary:
    """Tokens without ids."""

    kind: TokenizerKind
    lower_case: bool
    counts: Counter[str]
    """The count of each token; for a BPE, numbers that fall in the order of learning."""
    merges: Merges = ()
    whole_words: frozenset[str] = frozenset()


def learn_vocabulary(
    texts: Iterable[str], kind: TokenizerKind, *, bpe_size: int, special: Collection[str]
) -> Vocabulary:
    """Read texts whose words are already split.

    Special tokens are not part of the vocabulary, but `bpe_size` counts them. If a text contains
    one, it is an unknown word there.
    """
    if bpe_size <= len(special):
        raise ValueError(f"bpe_size must be above {len(special)}, got {bpe_size}")
    texts = list(texts)
    lower_case = kind == "word" or not any(c.isupper() for text in texts for c in text)
    counts = Counter(
        piece.text
        for text in texts
        for piece in units(normalise(text, lower_case=lower_case), kind, whole=None)
    )
    if kind != "bpe":
        for token in special:
            del counts[token]
        return Vocabulary(kind, lower_case, counts)
    tokens, merges = learn_byte_pairs(counts, bpe_size - len(special))
    order = Counter({token: len(tokens) - i for i, token in enumerate(tokens)})
    return Vocabulary(kind, lower_case, order, merges, frozenset(filter(splits, counts)))


def units(text: Piece, kind: TokenizerKind, *, whole: WholeWords | None) -> list[Piece]:
    """Split text into the units of alignments: words, with punctuation split off, or characters."""
    if kind == "character":
        return [text.part(i, i + 1) for i in range(len(text.text))]
    return split_words(text, whole=whole)


def number(counts: Counter[str], *, first: int) -> dict[str, int]:
    """Number tokens from `first` on, the most frequent first, then by the alphabet."""
    ordered = sorted(counts, key=lambda token: (-counts[token], token))
    return {token: i for i, token in enumerate(ordered, start=first)}


def write_ids(
    ids: Mapping[str, int], *, first: int, joint: Mapping[str, int] | None = None
) -> str | dict[str, int]:
    """Return tokens as one text if it determines their ids, else the ids by token.

    In the text, spaces separate the tokens. They are numbered from `first`, or have the `joint` ids
    if there are any.
    """
    text = " ".join(ids)
    try:
        return text if _read_ids(text, "", first, joint) == ids else dict(ids)
    except ValueError:
        return dict(ids)


def _read_ids(text: str, where: str, first: int, joint: Mapping[str, int] | None) -> dict[str, int]:
    tokens = text.split(" ")
    if joint is None:
        return {token: i for i, token in enumerate(tokens, start=first)}
    if unknown := [token for token in tokens if token not in joint]:
        raise ValueError(
            f"a token of {where} must be on the other side too, got {shorten(ascii(unknown[0]))}"
        )
    return {token: joint[token] for token in tokens}


def read_vocabulary(
    values: dict[str, Any], where: str, *, first: int, joint: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Check one side's fields and give them the types of `Tokenizer`'s.

    The vocabulary is the result of `write_ids` with the same `first` and `joint`.
    """
    is_text = isinstance(values.get("vocabulary"), str)
    types = {
        "kind": str,
        "lower_case": bool,
        "vocabulary": str if is_text else dict,
        "merges": list,
        "whole_words": list,
    }
    check_fields(values, types, where=where)
    if is_text:
        ids = _read_ids(values["vocabulary"], where, first, joint)
        values = {**values, "vocabulary": ids}
    kinds = get_args(TokenizerKind)
    if values["kind"] not in kinds:
        raise ValueError(
            f"kind of {where} must be one of {', '.join(kinds)}, got {shorten(values['kind'])}"
        )
    for token, token_id in values["vocabulary"].items():
        if not token or "\0" in token or printable(token) != token:
            raise ValueError(f"a token of {where} must be characters, got {shorten(ascii(token))}")
        if type(token_id) is not int:
            raise ValueError(
                f"the id of {shorten(token)!r} in {where} must be a whole number, "
                f"got {shorten(token_id)}"
            )
    if not all(isinstance(word, str) for word in values["whole_words"]):
        raise ValueError(f"whole_words of {where} must be strings")
    for pair in values["merges"]:
        if not (isinstance(pair, list) and len(pair) == 2 and all(type(s) is str for s in pair)):
            raise ValueError(f"a merge of {where} must be two strings, got {shorten(pair)}")
        if unknown := [s for s in (*pair, "".join(pair)) if s not in values["vocabulary"]]:
            raise ValueError(
                f"merges of {where} must join tokens that it has, got {shorten(unknown[0])!r}"
            )
    return {
        **values,
        "merges": tuple((left, right) for left, right in values["merges"]),
        "whole_words": frozenset(values["whole_words"]),
    }


def id_space(*sides: Mapping[str, Any], first: int) -> tuple[str, ...]:
    """Sort the tokens of one side, or of two sides that share ids, by their ids."""
    token_of: dict[int, str] = {}
    for side in sides:
        for token, token_id in side["vocabulary"].items():
            if token_of.setdefault(token_id, token) != token:
                raise ValueError(
                    f"id {token_id} must belong to one token, "
                    f"got {shorten(token_of[token_id])!r} and {shorten(token)!r}"
                )
    tokens = tuple(token_of[i] for i in sorted(token_of))
    last = first + len(tokens) - 1
    if tokens and not min(token_of) == first <= max(token_of) == last:
        raise ValueError(
            f"ids must run from {first} to {last} without a gap, "
            f"got {min(token_of)} to {max(token_of)}"
        )
    if len(set(tokens)) < len(tokens):
        twice, _ = Counter(tokens).most_common(1)[0]
        raise ValueError(f"{shorten(twice)!r} must have one id on both sides, got two")
    return tokens
