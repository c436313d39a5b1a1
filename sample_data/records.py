"""Measurements of checkpoints, in JSON files that name the weights for which they hold."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar, get_args, get_origin, get_type_hints

FOLDER = Path(__file__).parent / "recorded"
_DECIMALS = 5


class Record(Protocol):
    """A frozen dataclass of plain values, tuples, mappings and other such classes."""

    folder: ClassVar[str]
    """The folder of all files of its kind."""

    @property
    def weights(self) -> str:
        """The SHA-256 of the file of the measured weights; the record holds for no others."""
        ...


R = TypeVar("R", bound=Record)


def weights_digest(checkpoint: Path) -> str:
    """Return the digest of a checkpoint's file of weights. Raises OSError."""
    return hashlib.sha256(
        checkpoint.with_name(f"{checkpoint.name}.safetensors").read_bytes()
    ).hexdigest()


def record_path(kind: type[Record], name: str) -> Path:
    """Return the path of a checkpoint's record."""
    return FOLDER / kind.folder / f"{name}.json"


def write_record(path: Path, record: Record) -> None:
    """Write a record, with a line for each field and for each object of a list."""
    fields = (f" {json.dumps(n)}: {_laid_out(value)}" for n, value in to_plain(record).items())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(fields) + "\n}\n", encoding="utf-8", newline="\n")


def read_record(path: Path, kind: type[R]) -> R | None:
    """Read a record that `write_record` wrote; None if there is none.

    Raises ValueError on a file with other contents.
    """
    try:
        return from_plain(kind, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} has no {kind.__name__}: {error}") from error


def to_plain(record: Record) -> dict[str, Any]:
    """Return a record as plain values of JSON, rounded to five decimals."""
    return _rounded(asdict(record))  # pyright: ignore[reportArgumentType]


def from_plain(kind: Any, value: Any) -> Any:  # noqa: ANN401 - a type, and what JSON holds
    """Build a record from the result of `to_plain`.

    Raises AttributeError, KeyError, TypeError or ValueError on anything else.
    """
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**{name: from_plain(_types(kind)[name], one) for name, one in value.items()})
    of = get_args(kind)
    if get_origin(kind) is tuple and of[-1] is ...:
        return tuple(from_plain(of[0], one) for one in value)
    if get_origin(kind) is tuple:
        return tuple(from_plain(one, each) for one, each in zip(of, value, strict=True))
    if get_origin(kind) is Mapping:
        return {name: from_plain(of[1], one) for name, one in value.items()}
    return value


_types = cache(get_type_hints)


def _laid_out(value: object) -> str:
    if isinstance(value, list) and value:
        rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in value)
        return f"[\n{rows}\n ]"
    return json.dumps(value, ensure_ascii=False)


def _rounded(value: Any) -> Any:  # noqa: ANN401 - what JSON holds
    if isinstance(value, float):
        return round(value, _DECIMALS)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value
