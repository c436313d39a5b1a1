"""Reads texts with any kind of tokenizer."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import tokenizers
import torch
from jaxtyping import Int
from torch import Tensor

from loupe.ids import is_text, texts_of
from model.foreign.imports.token_names import has_bytes, shown_token
from model.text.normalised import printable


@dataclass(frozen=True, eq=False)
class ReadText:
    """A text as a model reads it."""

    ids: Int[Tensor, "1 position"]
    tokens: tuple[str, ...]
    more: Mapping[str, Tensor]
    """Further arguments for the model that the tokenizer returns, by name."""


def sort_out(
    tokenizer: object, text: object, target: object
) -> tuple[object, str | Tensor | None, str | Tensor | None]:
    """Return the tokenizer, the text, which may be in the tokenizer's place, and the target.

    Raises TypeError if two texts are given without a name, or if a text is not a string or ids.
    """
    if isinstance(tokenizer, str | Tensor):
        if text is not None:
            raise TypeError("give the second of two texts by name: target=...")
        tokenizer, text = None, tokenizer
    return tokenizer, _one("text", text), _one("target", target)


def _one(name: str, given: object) -> str | Tensor | None:
    found = texts_of(given)
    if found is None or is_text(found):
        return found
    raise TypeError(
        f"{name} must be one string, or the ids of its tokens, or for loupe.trace a list of them, "
        f"got {type(given).__name__}"
    )


def read_text(tokenizer: object, text: str | Tensor, *, as_target: bool = False) -> ReadText:
    """Split a text into tokens, with the special ones that the tokenizer adds by itself.

    Ids are used without change; the tokenizer, if there is one, names them.

    Args:
        tokenizer: One of transformers or of tokenizers, an object with `encode` and perhaps
            `decode`, or a function from a text to ids.
        text: The text to read, or its ids.
        as_target: Whether it is a target, which a transformers tokenizer may treat differently.

    Raises:
        TypeError: If the tokenizer is none of these, or returns no ids.
        ValueError: If the text has no token.
    """
    if isinstance(text, Tensor):
        if text.numel() == 0:
            raise ValueError("a text must have at least one token, got none")
        return ReadText(text[None], name_tokens(tokenizer, text.tolist()), {})
    found = _encoded(tokenizer, text, as_target=as_target)
    values = dict(found) if isinstance(found, Mapping) else {"input_ids": found}
    ids = _as_ids(values.pop("input_ids", None))
    if ids.numel() == 0:
        raise ValueError(f"the tokenizer returns no tokens for {printable(text)!r}")
    more = {name: _as_row(value) for name, value in values.items() if name in _ARGUMENTS}
    return ReadText(ids, name_tokens(tokenizer, ids[0].tolist()), more)


_BEFORE_PATCHES = (0, 1, 2, 5)
"""The numbers of tokens before an image's patches: none, a class token, a class token and a
distillation token, or a class token and four registers."""
_ARGUMENTS = ("attention_mask", "token_type_ids")
"""The outputs of transformers' tokenizers that models read."""


def name_tokens(tokenizer: object, ids: Iterable[int]) -> tuple[str, ...]:
    """Name ids by their tokens, or by numbers if the tokenizer cannot."""
    return tuple(map(token_namer(tokenizer), ids))


def decoded(tokenizer: object, ids: list[int]) -> str:
    """Write ids as text for people, without special tokens; empty if the tokenizer cannot."""
    decode = getattr(tokenizer, "decode", None)
    if not callable(decode):
        return ""
    try:
        found = decode(ids, skip_special_tokens=True)
    except TypeError:  # of one that has no special tokens
        found = decode(ids)
    return str(found)


def name_places(count: int, image: Tensor | None = None) -> tuple[str, ...]:
    """Name positions without a token by number, and square image patches by row and column."""
    if image is not None:
        height, width = image.shape[-2:]
        for before in _BEFORE_PATCHES:
            rows = round(math.sqrt(max(count - before, 0) * height / width))
            columns = (count - before) // rows if rows else 0
            if rows * columns == count - before and rows * width == columns * height:
                pairs = itertools.product(range(1, rows + 1), range(1, columns + 1))
                return (*map(str, range(before)), *(f"{row},{column}" for row, column in pairs))
    return tuple(map(str, range(count)))


def token_namer(tokenizer: object) -> Callable[[int], str]:
    """Return a function that names an id by its token, with every character visible."""
    rules = getattr(tokenizer, "backend_tokenizer", tokenizer)
    is_known = isinstance(rules, tokenizers.Tokenizer)
    added = rules.get_added_tokens_decoder() if is_known else {}
    in_bytes = has_bytes(rules) if is_known else hasattr(tokenizer, "byte_decoder")
    name, is_text = _name_of(tokenizer)

    def named(id: int) -> str:
        raw = name(id)
        if raw is None:
            return f"⟨{id}⟩"
        return shown_token(str(raw), is_added=id in added, has_bytes=in_bytes and not is_text)

    return named


def _encoded(tokenizer: object, text: str, *, as_target: bool) -> object:
    if hasattr(tokenizer, "convert_ids_to_tokens") and callable(tokenizer):
        return tokenizer(text_target=text) if as_target else tokenizer(text)
    encode = getattr(tokenizer, "encode", tokenizer)
    if not callable(encode):
        raise TypeError(
            "a tokenizer must be one of transformers or tokenizers, have `encode`, or be a "
            f"function from a text to ids, got {type(tokenizer).__name__}"
        )
    found = encode(text)
    return getattr(found, "ids", found)


def _name_of(tokenizer: object) -> tuple[Callable[[int], object], bool]:
    """Find a function that names an id, and whether it returns text or a vocabulary entry."""
    for way in ("convert_ids_to_tokens", "id_to_token"):
        if hasattr(tokenizer, way):
            return getattr(tokenizer, way), False
    decode = getattr(tokenizer, "decode", None)
    return (lambda id: decode([id])) if callable(decode) else str, True


def _as_ids(found: Any) -> Int[Tensor, "1 position"]:  # noqa: ANN401 - the output of third-party code
    ids = _as_row(found)
    if ids.numel() and (ids.is_floating_point() or ids.dtype == torch.bool):
        raise TypeError(f"a tokenizer must return whole numbers, got {ids.dtype!s}")
    return ids


def _as_row(found: Any) -> Tensor:  # noqa: ANN401
    try:
        row = torch.as_tensor(found)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(
            f"a tokenizer must return whole numbers, got {type(found).__name__}"
        ) from error
    if row.dim() > 1 and len(row) != 1:
        raise TypeError(f"a tokenizer must return the ids of one text, got {len(row)} rows of them")
    return row.reshape(1, -1)
