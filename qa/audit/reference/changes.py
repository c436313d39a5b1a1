"""Changes of a run from a link, made in numpy: `point!NAME;r5;c0;a0.6~cut!NAME;r1;c2`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from qa.audit.reference.files import Array
from qa.audit.reference.transformer import Change

_LETTERS = {"h": "head", "r": "rows", "c": "columns", "q": "origin_rows", "g": "origin_head"}


def read_changes(
    text: str, config: Mapping[str, Any], before: Callable[[str], Array]
) -> dict[str, Change]:
    """Read the changes: for the name of a tensor, the function that changes it.

    `before` returns a tensor of the unchanged run. Raises KeyError on an unknown kind.
    """
    found: dict[str, Change] = {}
    parts = text.split("~") if text else []
    for part in sorted(parts, key=lambda one: not one.startswith("cut!")):  # it masks scores
        first, *fields = part.split(";")
        kind, _, name = first.partition("!")
        said: dict[str, Any] = {"amount": 1.0}
        for field in fields:
            if field[0] == "a":
                said["amount"] = float(field[1:])
            else:
                said[_LETTERS[field[0]]] = [int(n) for n in field[1:].split("_")]
        stack, star, rest = name.partition(".*.")
        layers = range(config[f"n_{stack.partition('.')[0]}_layers"]) if star else ()
        for one in [f"{stack}.{i}.{rest}" for i in layers] if star else [name]:
            causal = (
                config["causal_mask"] and "decoder" in one and one.endswith("self_attn.weights")
            )
            made = _made(kind, said, lambda one=one: before(one), causal=bool(causal))
            found[one] = _after(found.get(one), made)
    return found


def _after(first: Change | None, then: Change) -> Change:
    return then if first is None else lambda values: then(first(values))


def _made(
    kind: str, said: Mapping[str, Any], before: Callable[[], Array], *, causal: bool
) -> Change:
    """Change one tensor of (head, row, column), or of (row, column) as of one head.

    A causal row has no later keys.
    """
    change = {"zero": _zero, "point": _point, "cut": _cut, "patch": _patch}[kind]

    def made(values: Array) -> Array:
        changed = values.copy()
        of_heads = changed if values.ndim == 3 else changed[None]
        heads, count = said.get("head") or range(len(of_heads)), of_heads.shape[1]
        for number, row in enumerate(said.get("rows") or range(count)):
            for head in heads:
                if row < count:
                    own = of_heads[head, row, : row + 1 if causal else None]
                    own[:] = change(own, said, head, number, before)
        return changed

    return made


def _zero(row: Array, *_: object) -> Array:
    return np.zeros_like(row)


def _point(row: Array, said: Mapping[str, Any], *_: object) -> Array:
    (column,), amount = said["columns"], said["amount"]
    return row * (1 - amount) + amount * (np.arange(len(row)) == column)


def _cut(row: Array, said: Mapping[str, Any], *_: object) -> Array:
    """Remove a key: the others keep their ratios, as in a softmax without it.

    A row without any key reads nothing.
    """
    left = np.where(np.isin(np.arange(len(row)), said["columns"]), 0.0, row)
    return left / (left.sum() or 1.0)


def _patch(
    row: Array, said: Mapping[str, Any], head: int, number: int, before: Callable[[], Array]
) -> Array:
    (origin,) = said.get("origin_head") or (head,)
    place = (said.get("origin_rows") or said["rows"])[number]
    given = np.zeros_like(row)
    full = before()[origin, place][: len(row)]
    given[: len(full)] = full
    return given / given.sum()
