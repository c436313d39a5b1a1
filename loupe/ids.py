"""Texts as they are given: strings, or the ids of their tokens."""

from collections.abc import Sequence
from typing import Any, TypeGuard

import torch
from torch import Tensor

Text = str | Tensor | Sequence[int]
"""A string, or the ids of the tokens as the model reads them: no special token is added to ids."""


def texts_of(given: object) -> Any:  # noqa: ANN401 - checked by those who read it
    """Return a text with its ids as a tensor of one axis, or a list of such texts.

    Several rows of ids are several texts. Anything but a text is returned unchanged. Raises
    TypeError on ids that are not whole numbers.
    """
    if isinstance(given, str) or given is None:
        return given
    if isinstance(given, list | tuple):
        if given and all(_is_whole(each) for each in given):
            return torch.tensor([int(each) for each in given])
        return [texts_of(each) for each in given]
    return _rows(given) if _is_array(given) else given


def is_ids(given: object) -> bool:
    """Return whether something can only be ids, of one text or of several."""
    if isinstance(given, list | tuple):
        return bool(given) and (all(map(_is_whole, given)) or all(is_ids(each) for each in given))
    return _is_array(given)


def is_text(text: object) -> TypeGuard[str | Tensor]:
    """Return whether this is one text, as `texts_of` gives it."""
    return isinstance(text, str | Tensor)


def row_of(text: object, what: str = "inputs") -> tuple[int, ...]:
    """Return the ids of one text. Raises TypeError on anything else."""
    found = texts_of(text)
    if not isinstance(found, Tensor):
        raise TypeError(f"{what} must be the ids of one text, got {type(text).__name__}")
    return tuple(found.tolist())


def check_ids(ids: Sequence[int], size: int) -> None:
    """Raise ValueError unless ids are of a vocabulary of this size."""
    for id in ids:
        if not 0 <= id < size:
            raise ValueError(f"an id of a token must be from 0 to {size - 1}, got {id}")


def vocabulary_of(model: Any) -> int:  # noqa: ANN401
    """Return how many ids a model of transformers reads; 0 if unknown."""
    try:
        return int(model.get_input_embeddings().num_embeddings)
    except (AttributeError, NotImplementedError):  # of another kind, or it hears
        return 0


def _rows(given: Any) -> Tensor | list[Tensor]:  # noqa: ANN401 - a tensor or an array
    ids = torch.as_tensor(given)
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"ids of tokens must be whole numbers, got {ids.dtype!s}")
    if ids.dim() not in (1, 2):
        raise TypeError(
            f"ids must be (position) of one text or (text position), got {tuple(ids.shape)}"
        )
    ids = ids.long()
    if ids.dim() == 1:
        return ids
    return ids[0] if len(ids) == 1 else list(ids)


def _is_array(given: object) -> bool:
    return isinstance(given, Tensor) or type(given).__module__.partition(".")[0] == "numpy"


def _is_whole(given: object) -> bool:
    if isinstance(given, bool):
        return False
    is_scalar = _is_array(given) and getattr(given, "ndim", None) == 0
    return isinstance(given, int) or (is_scalar and "int" in str(getattr(given, "dtype", "")))
