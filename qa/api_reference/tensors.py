"""The names of the tensors of a run, from the records in model/traces.py."""

import re
from collections.abc import Iterator

import griffe

from qa.api_reference.markdown import one_line, table
from qa.api_reference.source import Source

TREE = "model.traces.TransformerTrace"
RENAMED = {"edited_scores": "scores"}
"""Fields that a run has under another name; `scores` is a property beside them."""
MANY = ".N"
"""The part of a name after that of a list of layers."""


def tensors_part(source: Source) -> Iterator[str]:
    """Yield the names of all tensors, and a table for each kind of record."""
    root = source.find(TREE)
    yield "```text\n" + "\n".join(tree(source, root)) + "\n```\n"
    for record in records_in(source, root):
        yield f"### {record.name}\n"
        yield f"{one_line(record.docstring.value)}\n"
        rows = [("last part of the name", "shape", "")]
        for name, (shape, field) in tensors_of(record).items():
            text = one_line(field.docstring.value) if field.docstring else ""
            rows.append((f"`{name}`", f"({shape})", text))
        yield table(rows)


def tree(source: Source, record: griffe.Class, prefix: str = "") -> Iterator[str]:
    """Yield the names in a record; those of its last level share a line."""
    tensors = tensors_of(record)
    fields = [each for each in record.members.values() if each.is_attribute]
    inner = {each.name: found for each in fields if (found := _record_of(source, each))}
    if not inner:
        yield prefix + f", {'.' if prefix else ''}".join(tensors)
    for each in fields if inner else ():
        if each.name in tensors:
            yield f"{prefix}{each.name}"
        elif each.name in inner:
            many = MANY if str(each.annotation).startswith("Sequence[") else ""
            yield from tree(source, inner[each.name], f"{prefix}{each.name}{many}.")


def records_in(source: Source, root: griffe.Class) -> list[griffe.Class]:
    """List a record and those in it that hold tensors, each once."""
    found = [root]
    for record in found:
        inner = (_record_of(source, each) for each in record.members.values() if each.is_attribute)
        found += [new for new in dict.fromkeys(inner) if new is not None and new not in found]
    return found


def tensors_of(record: griffe.Class) -> dict[str, tuple[str, griffe.Attribute]]:
    """Return the tensors of a record by name, each with its shape."""
    found = {}
    for field in record.members.values():
        shape = field.is_attribute and re.search(r"Tensor, ['\"]([^'\"]+)", str(field.annotation))
        if shape:
            found[RENAMED.get(field.name, field.name)] = (shape[1], field)
    scores = record.members.get("scores")  # its docstring says more than the field's
    return found | ({"scores": (found["scores"][0], scores)} if scores else {})


def _record_of(source: Source, field: griffe.Attribute) -> griffe.Class | None:
    found = re.search(r"\w+Trace\b", str(field.annotation))
    return source.find(f"model.traces.{found[0]}") if found else None
