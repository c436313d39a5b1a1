"""Check every shape annotation of some packages while the tests run.

Functions and dataclasses without shape annotations are left unchanged: pyright has checked their
types, and checking them again at every call takes longer than most tests. For the same reason a
function checks each combination of shapes and types once: decoding calls the same ones for each
token.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import is_dataclass
from functools import cache, wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from threading import local
from types import CodeType, FunctionType, ModuleType
from typing import Any, Literal, get_args, get_origin

import numpy as np
from beartype import beartype
from jaxtyping import AbstractArray, jaxtyped
from torch import Tensor

_DECORATOR = f"__import__({__name__!r}, fromlist=['checked']).checked"


def check_shapes(*packages: str) -> None:
    """Check what is imported from these packages from now on."""
    if already := [name for name in packages if name in sys.modules]:
        raise RuntimeError(f"too late to check what is imported already: {', '.join(already)}")
    sys.meta_path.insert(0, _Finder(packages))


def checked(thing: Any) -> Any:
    """Return a function or class that checks the shapes in its annotations, if it has any."""
    if not inspect.isclass(thing):
        return _once(thing) if _has_shapes(thing) else thing
    if is_dataclass(thing) and _has_shapes(thing.__init__):
        thing.__init__ = _once(thing.__init__)
    return thing


def _once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a check of each new combination of shapes."""
    check = jaxtyped(function, typechecker=beartype)
    kept = local()
    check_kept = cache(lambda: jaxtyped(_like(function, kept), typechecker=beartype))
    known: dict[Hashable, set[Hashable]] = {}

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        asked = _shapes_of((given, named))
        results = known.get(asked)
        if results is None:
            result = check(*given, **named)
            known.setdefault(asked, set()).add(_shapes_of(result))
            return result
        result = function(*given, **named)
        if (told := _shapes_of(result)) not in results:
            kept.result = result
            check_kept()(*given, **named)
            del kept.result
            results.add(told)
        return result

    return call


def _like(function: Callable[..., Any], kept: local) -> Callable[..., Any]:
    """Return a function with the same annotations that returns the result kept for the thread."""

    def answer(*_: Any, **__: Any) -> Any:
        return kept.result

    names = getattr(function, "__globals__", {})
    return wraps(function)(FunctionType(answer.__code__, names, closure=answer.__closure__))


MOST_PARTS = 16
"""How many items of a list are looked at; beartype itself looks at one."""


def _shapes_of(value: Any) -> Hashable:
    """Return the hashable types and shapes that decide the check of a value."""
    kind = type(value)
    if isinstance(value, (Tensor, np.ndarray)):
        return kind, value.dtype, tuple(value.shape)
    if kind in (tuple, list):
        return kind, *map(_shapes_of, value[:MOST_PARTS])
    if kind is dict:
        return kind, *((name, _shapes_of(part)) for name, part in value.items())
    return value if kind is str else kind


def _has_shapes(function: Any) -> bool:
    names = getattr(function, "__globals__", {})
    kinds = getattr(function, "__annotations__", {}).values()
    return any(_is_shape(_named(kind, names)) for kind in kinds)


def _named(annotation: Any, names: dict[str, Any]) -> Any:
    """Evaluate a quoted annotation; return it unchanged if its name is imported for typing only."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, names)
    except NameError:
        return annotation


def _is_shape(annotation: Any) -> bool:
    """Return whether an annotation is a shape or contains one."""
    if inspect.isclass(annotation) and issubclass(annotation, AbstractArray):
        return True
    if get_origin(annotation) is Literal:
        return False
    parts = annotation if isinstance(annotation, list) else get_args(annotation)
    return any(map(_is_shape, parts))


class _Decorate(ast.NodeTransformer):
    """Puts the check innermost on a function, and outermost on a class, after `@dataclass`."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list.append(_decorator(node))
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list.insert(0, _decorator(node))
        return self.generic_visit(node)


def _decorator(node: ast.AST) -> ast.expr:
    made = ast.parse(_DECORATOR, mode="eval").body
    for part in ast.walk(made):
        ast.copy_location(part, node)
    return made


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        """Compile the source without writing bytecode, so that no other process loads it."""
        path = self.get_filename(fullname)
        tree = _Decorate().visit(ast.parse(self.get_data(path), path))
        return compile(tree, path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = frozenset(packages)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in self._packages:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec
