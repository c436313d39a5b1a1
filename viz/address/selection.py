"""The selection: the one cell and step in view, shared by all pages and written in the URL."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import NamedTuple, Protocol, Self

import numpy as np

from texts import say, say_of
from viz.heads.telling_cells import (
    Stack,
    first_cell,
    is_word,
    sharpest_reading,
    strongest_key,
    telling_cell,
    telling_reading,
)
from viz.run.axes import (
    KINDS,
    AttentionKind,
    RowName,
    Traced,
    all_heads,
    attention_trace,
    axis_tokens,
    layer_count,
    name_axes,
)

_LONGEST_QUOTED = 40


@dataclass(frozen=True)
class Selection:
    """The selected cell and step. All numbers count from 0."""

    kind: AttentionKind
    layer: int
    head: int
    query: int
    """Row of the attention: the position that reads."""
    key: int
    """Column: the position that is read."""
    step: int
    """Step of the decoding. Row t of the decoder wrote the token of step t."""

    def to_dict(self) -> dict[str, str | int]:
        """Return the plain values by name."""
        return asdict(self)


def head_in_view(run_key: str, selection: Selection) -> dict[str, str | int]:
    """Return the run and the head that a part of a page shows, for `show_made_for`."""
    chosen = selection.to_dict()
    return {"run": run_key} | {name: chosen[name] for name in ("kind", "layer", "head")}


def row_in_view(run_key: str, selection: Selection) -> dict[str, str | int]:
    """Return the run, the head and the row that a part of a page shows."""
    return head_in_view(run_key, selection) | {"query": selection.query}


def cell_in_view(run_key: str, selection: Selection) -> dict[str, str | int]:
    """Return the run, the head and the cell that a part of a page shows."""
    return row_in_view(run_key, selection) | {"key": selection.key}


class Selectable(Traced, Protocol):
    """A run in which a cell can be selected; `viz/run/record.py` has the whole run."""

    @property
    def source_text(self) -> str:
        """The text as typed."""
        ...

    @property
    def steps(self) -> Sequence[object]:
        """One for each row of the decoder."""
        ...

    @property
    def target_tokens(self) -> tuple[str, ...]:
        """The tokens of the target, from `<s>` on."""
        ...

    @property
    def text(self) -> str:
        """The written text, for people."""
        ...

    @property
    def given(self) -> bool:
        """Whether the target was given, rather than decoded."""
        ...

    @property
    def shown_first(self) -> int:
        """The number of tokens of the prompt that the model continued by itself."""
        ...


FIELDS = tuple(field.name for field in fields(Selection))


def matrix_size(run: Selectable, kind: AttentionKind) -> tuple[int, int]:
    """Count the rows and columns of one kind of attention."""
    rows, columns = attention_trace(run, kind, 0).weights.shape[-2:]
    return rows, columns


def default_selection(run: Selectable) -> Selection:
    """Return the selection at the cell of `first_cell`."""
    if "cross-attention" not in run.anatomy.names:
        return _telling_selection(run)
    found = first_cell(
        run.anatomy.names,
        lambda kind: _stack(run, kind),
        run.word_classes,
        run.info.best_head,
    )
    is_encoders = found.kind == "encoder self-attention"
    return Selection(*found, step=aligned_selection(run).step if is_encoders else found.query)


def aligned_selection(run: Selectable) -> Selection:
    """Select the best aligned cross-attention head, at the strongest cell of an informative row.

    For a model of one text, it is the head with the sharpest reading of a distant word.
    """
    if "cross-attention" not in run.anatomy.names:
        return _telling_selection(run)
    layer, head = run.info.best_head or (run.info.config.n_decoder_layers - 1, 0)
    query, key = telling_cell(run, "cross-attention", layer, head)
    return Selection("cross-attention", layer, head, query, key, query)


def _telling_selection(run: Selectable) -> Selection:
    kind = run.anatomy.sites[-1].name
    weights, _, rows, columns = _stack(run, kind)
    last = (run.shown_first or len(rows)) - 1
    layer, head, query, key = sharpest_reading(weights, rows, columns, last=last)
    return Selection(kind, layer, head, query, key, query if run.steps else 0)


def _stack(run: Selectable, kind: AttentionKind) -> Stack:
    rows, columns = axis_tokens(run, kind)
    weights = all_heads(run, kind)
    layers = (attention_trace(run, kind, layer).mask[0] for layer in range(len(weights)))
    masks = [mask.expand(weights.shape[-2:]).numpy() for mask in layers]
    return Stack(weights, np.stack(masks), rows, columns)


class Texts(NamedTuple):
    """The tokens of a run, by which a place is recognized in another run."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    """From `<s>` on."""
    named: RowName = "writes"
    """The token that names a decoder row."""

    def at(self, place: Mapping[str, object]) -> dict[str, str]:
        """Return the tokens of a selection's row, column and step, as far as they exist."""
        named = self.axes(place)
        numbers = {name: _number(place.get(name)) for name in named}
        return {
            name: tokens[numbers[name]]
            for name, tokens in named.items()
            if 0 <= numbers[name] < len(tokens)
        }

    def axes(self, place: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
        """Return all tokens of the rows, columns and steps of a selection's kind."""
        kind = _known_kind(place.get("kind"), KINDS) or "cross-attention"
        rows, columns = name_axes(kind, *self)
        return {"query": rows, "key": columns, "step": self.target[1:]}

    def is_like(self, other: Self) -> bool:
        """Return whether one is an edit of the other: it has half the words of the shorter one.

        browser/live/carried.js has the same rule.
        """
        words, others = (Counter(filter(is_word, each.source)) for each in (self, other))
        return 2 * (words & others).total() >= min(words.total(), others.total())


def carry_over(
    texts: Texts, asked: Mapping[str, object], before: Mapping[str, str]
) -> dict[str, object]:
    """Keep the values of a selection in another run or kind that still mean the same in this one.

    A place follows its token, to the nearest place with this token. If its row is lost, the key is
    dropped too, because another row reads another key.

    Args:
        texts: The texts of the run to select in.
        asked: The selected values, by name.
        before: The tokens of these values; empty if unknown, or if the texts are wholly different.
    """
    now = texts.axes(asked)
    kept = {
        name: nearest_place(before[name], now[name], _number(asked.get(name)))
        for name in now
        if before.get(name) in now[name] and _number(asked.get(name)) >= 0
    }
    if "query" not in kept:
        kept.pop("key", None)
    return {n: kept.get(n, value) for n, value in asked.items() if n not in now or n in kept}


def nearest_place(token: str, tokens: Sequence[str], place: int) -> int:
    """Return the place of a token among equal ones that is nearest to a place."""
    return min(
        (at for at, each in enumerate(tokens) if each == token), key=lambda at: abs(at - place)
    )


def nearest(
    run: Selectable, asked: Mapping[str, object], *, moved: bool = False
) -> tuple[Selection, tuple[str, ...]]:
    """Make a selection from values by name, as numbers or text.

    A value that this run lacks becomes the nearest one, with a note. Without a row, an informative
    row is selected; without a key, the one with the largest weight. If there are values but no
    kind, it is the head that aligns best.

    Args:
        run: The run to select in.
        asked: The values.
        moved: Whether the values remain from another run or kind; a missing encoder row then
            becomes the most informative one.
    """
    is_asked = any(name in asked for name in FIELDS)
    default = aligned_selection(run) if is_asked else default_selection(run)
    notes: list[str] = []
    wanted_kind = asked.get("kind", default.kind)
    kinds = run.anatomy.names
    kind = _known_kind(wanted_kind, kinds) or default.kind
    if kind != wanted_kind:
        notes.append(
            say(
                "run.no_kind",
                wanted=_quoted(wanted_kind),
                kinds=", ".join(say_of("kind", name) for name in kinds),
                kind=say_of("kind", kind),
            )
        )
    rows, columns = matrix_size(run, kind)

    def take(name: str, size: int, usual: int) -> int:
        wanted = asked.get(name, usual)
        number = _nearest_number(wanted, usual, size)
        if str(wanted) != str(number) and name in asked:
            notes.append(
                say("run.no", name=name, wanted=_quoted(wanted), last=size - 1, shown=number)
            )
        return number

    layer = take("layer", layer_count(run.info.config, kind), default.layer)
    head = take("head", run.info.config.n_heads, default.head)
    usual = default.query
    if is_asked:
        found = telling_reading(run, (layer, head)) if moved and kind == KINDS[0] else None
        usual = found[2] if found else telling_cell(run, kind, layer, head)[0]
    query = take("query", rows, usual)
    key = take("key", columns, strongest_key(run, kind, layer, head, query))
    usual_step = default.step if kind == "encoder self-attention" else query
    step = take("step", max(len(run.steps), 1), usual_step)
    return Selection(kind, layer, head, query, key, step), tuple(notes)


def _number(value: object) -> int:
    """Read a position from a link; -1 if it is not one."""
    text = str(value)[:9]
    return int(text) if text.isdecimal() else -1


def _known_kind(wanted: object, kinds: Iterable[AttentionKind]) -> AttentionKind | None:
    for kind in kinds:
        if kind == wanted:
            return kind
    return None


def _nearest_number(wanted: object, default: int, size: int) -> int:
    text = str(wanted)[:9]
    number = int(text) if text.removeprefix("-").isdecimal() else default
    return max(0, min(number, size - 1))


def _quoted(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_QUOTED else f"{text[: _LONGEST_QUOTED - 1]}…"
