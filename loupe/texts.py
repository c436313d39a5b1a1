"""What people have for a tokenizer, and what a model reads of a text by it."""

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
    """What else the tokenizer gives for the model, by the name of its argument."""


def sort_out(
    tokenizer: object, text: object, target: object
) -> tuple[object, str | Tensor | None, str | Tensor | None]:
    """Return the tokenizer, the text, which may take the tokenizer's place, and the target.

    Raises TypeError on two texts of which none is named, and on a text that is not one string or
    the ids of one.
    """
    if isinstance(tokenizer, str | Tensor):
        if text is not None:
            raise TypeError("of two texts the second has to be named: target=...")
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

    Ids are taken as they are; the tokenizer, if there is one, names them.

    Args:
        tokenizer: One of transformers, of tokenizers, an object with `encode` and maybe `decode`,
            or a function from a text to ids.
        text: What is to be read.
        as_target: Whether it is a target, which a tokenizer of transformers may read otherwise.

    Raises:
        TypeError: Where the tokenizer is none of these, or gives no ids.
        ValueError: Where the text has no token.
    """
    if isinstance(text, Tensor):
        if text.numel() == 0:
            raise ValueError("a text has at least one token, got none")
        return ReadText(text[None], name_tokens(tokenizer, text.tolist()), {})
    found = _encoded(tokenizer, text, as_target=as_target)
    values = dict(found) if isinstance(found, Mapping) else {"input_ids": found}
    ids = _as_ids(values.pop("input_ids", None))
    if ids.numel() == 0:
        raise ValueError(f"the tokenizer makes no token of {printable(text)!r}")
    more = {name: _as_row(value) for name, value in values.items() if name in _ARGUMENTS}
    return ReadText(ids, name_tokens(tokenizer, ids[0].tolist()), more)


_BEFORE_PATCHES = (0, 1, 2, 5)
"""Nothing, a class, one of a teacher beside it, or a class and four registers."""
_ARGUMENTS = ("attention_mask", "token_type_ids")
"""Of all that tokenizers of transformers give, what models read."""


def name_tokens(tokenizer: object, ids: Iterable[int]) -> tuple[str, ...]:
    """Name ids by their tokens; by numbers where the tokenizer cannot."""
    return tuple(map(token_namer(tokenizer), ids))


def decoded(tokenizer: object, ids: list[int]) -> str:
    """Write ids as text for people, without special tokens; empty if nothing can."""
    decode = getattr(tokenizer, "decode", None)
    if not callable(decode):
        return ""
    try:
        found = decode(ids, skip_special_tokens=True)
    except TypeError:  # of one that has no special tokens
        found = decode(ids)
    return str(found)


def name_places(count: int, image: Tensor | None = None) -> tuple[str, ...]:
    """Name what has no token by its number; square patches of an image by row and column from 1."""
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
    """Return what names an id by its token as people read it, each of its characters seen."""
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
    """Find what names an id, and whether it gives text rather than an entry of a vocabulary."""
    for way in ("convert_ids_to_tokens", "id_to_token"):
        if hasattr(tokenizer, way):
            return getattr(tokenizer, way), False
    decode = getattr(tokenizer, "decode", None)
    return (lambda id: decode([id])) if callable(decode) else str, True


def _as_ids(found: Any) -> Int[Tensor, "1 position"]:  # noqa: ANN401 - what a stranger's code gave
    ids = _as_row(found)
    if ids.numel() and (ids.is_floating_point() or ids.dtype == torch.bool):
        raise TypeError(f"a tokenizer must give whole numbers, got {ids.dtype!s}")
    return ids


def _as_row(found: Any) -> Tensor:  # noqa: ANN401
    try:
        row = torch.as_tensor(found)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(
            f"a tokenizer must give whole numbers, got {type(found).__name__}"
        ) from error
    if row.dim() > 1 and len(row) != 1:
        raise TypeError(f"a tokenizer must give the ids of one text, got {len(row)} rows of them")
    return row.reshape(1, -1)
