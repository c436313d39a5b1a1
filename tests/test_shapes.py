from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Literal

import pytest
import torch
from jaxtyping import Float, TypeCheckError
from torch import Tensor

from model.attention import MultiHeadAttention
from tests.shapes import check_shapes, checked

if TYPE_CHECKING:
    from model.transformer import Transformer


def halves(pairs: list[Float[Tensor, "rows 2"]], count: int) -> Float[Tensor, " rows"]:
    return pairs[count]


def plain(count: int) -> Literal["none"] | int:
    return count or "none"


def handed_in(model: "Transformer | None") -> int:
    return 0 if model is None else 1


def quoted(rows: 'list[Float[Tensor, "rows 2"]]') -> int:
    return len(rows)


@dataclass
class Pair:
    one: Float[Tensor, " n"]
    other: Float[Tensor, " n"] | None


def test_a_shape_that_is_not_as_annotated_is_refused_going_in_and_coming_out():
    with pytest.raises(TypeCheckError, match="parameters"):
        checked(halves)([torch.ones(3, 3)], 0)
    with pytest.raises(TypeCheckError, match="return value"):
        checked(halves)([torch.ones(3, 2)], 0)


def test_each_new_combination_of_shapes_is_checked():
    """The first call is right; later calls have other input or output shapes."""
    first, right = checked(quoted), torch.ones(3, 2)
    first([right])
    with pytest.raises(TypeCheckError, match="parameters"):
        first([torch.ones(3, 3)])
    told = iter([torch.ones(3), torch.ones(3), torch.ones(4), torch.ones(3, 1)])

    def next_of(_: Float[Tensor, "n 2"]) -> Float[Tensor, " n"]:
        return next(told)

    second = checked(next_of)
    second(right)
    second(right)
    for _ in range(2):
        with pytest.raises(TypeCheckError, match="return value"):
            second(right)


def test_a_quoted_shape_is_checked():
    with pytest.raises(TypeCheckError):
        checked(quoted)([torch.ones(3, 3)])


def test_sizes_of_one_name_are_equal_in_a_dataclass():
    pair = checked(Pair)
    pair(torch.ones(3), None)
    with pytest.raises(TypeCheckError):
        pair(torch.ones(3), torch.ones(4))


def test_what_has_no_shape_is_left_as_it_is():
    assert checked(plain) is plain
    assert checked(FunctionType) is FunctionType
    assert checked(handed_in) is handed_in


def test_the_model_is_checked():
    attention = MultiHeadAttention(d_model=8, n_heads=2, d_k=4, d_v=4)
    x = torch.ones(1, 3, 8)
    with pytest.raises(TypeCheckError):
        attention(x, x, torch.ones(1, 3, 4, dtype=torch.bool))


def test_it_says_so_where_it_comes_too_late():
    with pytest.raises(RuntimeError, match="imported already: model"):
        check_shapes("model", "never_imported")
