"""Reads the edits of a lesson: the notation of links, with heads, rows and columns named by role.

    zero!(best at referents of it).heads
    swap!(best at referents of it).weights;r(it);c(animal)_(street)
    scale!encoder.layers.*.self_attn.scores;a4

A head in parentheses replaces its attention and `;hN`; a word in parentheses replaces its position.
Rows of the decoder are named by the token that they write. "swap" exchanges the weights of two
columns in one row; a link has it as a painted row.
"""

import re
from collections.abc import Sequence
from typing import cast, get_args

from model.anatomy import attention_in
from model.checkpoints.checkpoint import Checkpoint
from model.files.json_fields import shorten
from model.interventions.kinds import Intervention
from model.tensor_names import tensor_names
from viz.address.changes import read_changes
from viz.lessons.faults import nearest, passed_on, refuse
from viz.lessons.lesson import HeadName
from viz.lessons.places import find_head, find_word, kind_of
from viz.run.axes import KINDS, AttentionKind, attention_name, axis_tokens
from viz.run.record import Run

LONGEST = 300
HEAD_NAMES: tuple[HeadName, ...] = get_args(HeadName)
_ROLE = re.compile(r"\(([^()]*)\)\.")
_SWAP = "swap!"


def check_edit(text: str, place: str) -> None:
    """Check an edit without a model. Raises LessonError on heads, rows or columns by number."""
    first, *parts = text.split(";")
    if "~" in text:
        raise refuse(place, "edit_alone")
    if role := _ROLE.search(first):
        _role(role.group(1), place)
    for part in parts:
        if part[:1] in ("h", "g"):
            raise refuse(place, "edit_head")
        if part[:1] in ("r", "c", "q") and not all(map(_word_of, part[1:].split("_"))):
            raise refuse(place, "edit_words", part=shorten(part))


def read_edit(text: str, checkpoint: Checkpoint, run: Run, place: str) -> Intervention:
    """Make the intervention that an edit of a lesson means in the unchanged run.

    Raises:
        LessonError: If it cannot be made, or names something that this run does not have.
    """
    check_edit(text, place)
    first, *parts = text.split(";")
    if role := _ROLE.search(first):
        name = _role(role.group(1), place)
        layer, head = find_head(checkpoint, name)
        attention = attention_name(kind_of(name), layer).removesuffix(".weights")
        first = f"{first[: role.start()]}{attention}.{first[role.end() :]}"
        parts.append(f"h{head}")
    _check_name(first.partition("!")[2], checkpoint, place)
    is_swap = first.startswith(_SWAP)
    first = f"point!{first.removeprefix(_SWAP)}" if is_swap else first
    numbered = [_numbered(part, first, run, place) for part in parts]
    try:
        (change,) = read_changes(";".join([first, *numbered]), run.info.name, run.source_text, "")
        change.intervention.names(checkpoint.info.config)
    except ValueError as error:
        raise passed_on(place, error) from None
    return _swapped(change.intervention, run, place) if is_swap else change.intervention


def _check_name(name: str, checkpoint: Checkpoint, place: str) -> None:
    known = tensor_names(checkpoint.info.config)
    if name.replace(".*.", ".0.") not in known:
        raise refuse(place, "no_tensor", nearest(name, known), name=shorten(name))


def _role(name: str, place: str) -> HeadName:
    if name not in HEAD_NAMES:
        raise refuse(place, "no_role", nearest(name, HEAD_NAMES), name=shorten(name))
    return cast(HeadName, name)


def _word_of(text: str) -> str:
    """Return the word in parentheses; "" without parentheses."""
    return text[1:-1] if text[:1] == "(" and text[-1:] == ")" else ""


def _numbered(part: str, name: str, run: Run, place: str) -> str:
    """Replace the words in a list of rows or columns by their positions."""
    if part[:1] not in ("r", "c"):
        return part
    tokens = _tokens_of(name, run, rows=part[0] == "r")
    words = [_word_of(text) for text in part[1:].split("_")]
    return part[0] + "_".join(str(find_word(tokens, word, place)) for word in words)


def _tokens_of(name: str, run: Run, *, rows: bool) -> Sequence[str]:
    if kind := _kind_in(name):
        return axis_tokens(run, kind)[0 if rows else 1]
    return run.source.tokens if "source" in name or "encoder" in name else run.target_tokens[1:]


def _kind_in(name: str) -> AttentionKind | None:
    """Return the kind of attention to which a captured tensor belongs."""
    for kind in KINDS:
        stack, _, attention = attention_name(kind, 0).removesuffix(".weights").split(".", 2)
        if stack in name and attention.partition(".")[2] in name:
            return kind
    return None


def _swapped(made: Intervention, run: Run, place: str) -> Intervention:
    """Paint the row again with the weights of its two columns exchanged."""
    kind, rows, columns = _kind_in(made.name), made.rows or (), made.columns or ()
    layer = re.search(r"layers\.([0-9]{1,4})\.", made.name)
    if kind is None or layer is None or made.head is None or len(rows) != 1 or len(columns) != 2:
        raise refuse(place, "swap")
    weights = attention_in(run.trace, kind, int(layer.group(1))).weights[0, made.head, rows[0]]
    values = weights.tolist()
    one, other = columns
    values[one], values[other] = values[other], values[one]
    rounded = tuple(round(value, 4) for value in values)
    return Intervention("paint", made.name, head=made.head, rows=rows, values=rounded)
