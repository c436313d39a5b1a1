"""Kinds of torch functions, by name: those that move numbers, multiply, or project."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm", "einsum")
"""Functions that can multiply queries by keys, or weights by values."""
REARRANGING = frozenset(
    {
        *("transpose", "permute", "view", "reshape", "contiguous", "unsqueeze", "squeeze"),
        *("flatten", "unflatten", "swapaxes", "swapdims", "movedim", "moveaxis", "t", "T", "mT"),
        *("clone", "adjoint"),
    }
)
"""Functions that only move the numbers of one tensor to other places."""
CASTS = frozenset({"to", "float", "half", "bfloat16", "double", "type_as", "type"})
JOINS = frozenset({"cat", "concat", "concatenate", "stack", "hstack"})
"""Functions that put several tensors side by side."""
_MOVES = REARRANGING | CASTS | {"dropout", "view_as", "reshape_as", "data", "detach"}
_PROJECTS = {"linear", "addmm", "matmul", "__matmul__", "mm", "conv1d"}
_EACH_BY_ITSELF = {
    *("add", "sub", "mul", "div", "true_divide", "rsub", "__radd__", "__rmul__", "__rsub__"),
    *("to", "float", "half", "bfloat16", "double", "type_as", "contiguous", "clone", "dropout"),
    *("layer_norm", "rms_norm", "relu", "gelu", "silu", "sigmoid", "tanh", "detach", "add_"),
    *("mul_", "div_", "sub_", "__rdiv__", "__rtruediv__", "normalize", "rsqrt", "pow"),
}
_EXPONENTS = {"exp", "exp_", "exp2", "exp2_", "pow", "__pow__", "__rpow__", "logsumexp", "expm1"}
_RANDOM = {"dropout", "dropout_", "alpha_dropout", "feature_dropout", "bernoulli", "bernoulli_"}
_ASKS = {
    *("shape", "size", "dim", "ndim", "dtype", "device", "numel", "is_contiguous", "stride"),
    *("requires_grad", "is_cuda", "layout", "nelement", "ndimension", "is_floating_point"),
    *("__len__", "__hash__", "grad_fn", "is_leaf", "element_size", "data_ptr", "is_complex"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """The properties of one function."""

    name: str
    """Its name, or the name of the attribute that it reads."""
    asks: bool
    """Whether it returns a fact about a tensor, such as its shape, rather than a tensor."""
    is_in_place: bool
    """Whether it changes its first argument, whatever its other arguments are."""
    is_product: bool
    is_softmax: bool
    """Whether it is one of torch's softmax functions."""
    moves: bool
    """Whether it only moves the numbers of one tensor to other places, or to another type."""
    joins: bool
    projects: bool
    """Whether it may be a linear map of vectors."""
    is_random: bool
    has_exponents: bool
    """Whether code can compute a softmax with it."""
    keeps_rows: bool
    """Whether it processes each number, or each row, by itself."""
    makes_rows: bool
    """Whether each row of its result is a whole row of a projection or of a table."""


def kind_of(func: Callable) -> Kind:
    """Return the kind of a torch function, or of the attribute that it reads."""
    return _kind_of_name(name_of(func))


def name_of(func: Callable) -> str:
    """Return the name of a torch function, or of the attribute that it reads."""
    name = getattr(func, "__name__", "")
    return getattr(getattr(func, "__self__", None), "__name__", "") if name == "__get__" else name


@lru_cache(maxsize=4096)
def _kind_of_name(name: str) -> Kind:
    return Kind(
        name=name,
        asks=name in _ASKS,
        is_in_place=is_named_in_place(name),
        is_product=name in PRODUCTS,
        is_softmax=name.endswith("softmax"),
        moves=name in _MOVES,
        joins=name in JOINS,
        projects=name in _PROJECTS,
        is_random=name in _RANDOM,
        has_exponents=name in _EXPONENTS,
        keeps_rows=name in _EACH_BY_ITSELF,
        makes_rows=name in ("linear", "embedding"),
    )


def is_named_in_place(name: str) -> bool:
    """Return whether a function changes its first argument, judging by its name."""
    if name.endswith("__"):
        return name == "__setitem__" or (name.startswith("__i") and name not in _NO_CHANGE)
    return name.endswith("_")


_NO_CHANGE = {"__invert__", "__int__", "__index__", "__iter__", "__init__"}
