"""The selection: the one cell and step in view, shared by all pages and written in the URL."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from viz.run.record import KINDS, AttentionKind, Run, attention_trace, layer_count

_LONGEST_QUOTED = 40


@dataclass(frozen=True)
class Selection:
    """Where everybody looks. All numbers count from 0."""

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
        """Plain values by name."""
        return asdict(self)


def head_in_view(run_key: str, selection: Selection) -> dict[str, str | int]:
    """Name the run and the head that a part of a page shows, for `show_made_for`."""
    chosen = selection.to_dict()
    return {"run": run_key} | {name: chosen[name] for name in ("kind", "layer", "head")}


def cell_in_view(run_key: str, selection: Selection) -> dict[str, str | int]:
    """Name the run, the head and the cell of it that a part of a page shows."""
    cell = {"query": selection.query, "key": selection.key}
    return head_in_view(run_key, selection) | cell


FIELDS = tuple(field.name for field in fields(Selection))


def matrix_size(run: Run, kind: AttentionKind) -> tuple[int, int]:
    """Count the rows and columns of one kind of attention."""
    rows, columns = attention_trace(run, kind, 0).weights.shape[-2:]
    return rows, columns


def default_selection(run: Run) -> Selection:
    """Start at the head that aligns best, in its middle row, at the token that is read most."""
    config = run.info.config
    layer, head = config.n_decoder_layers - 1, 0
    match run.info.scores.get("best_head"):
        case {"layer": int(best_layer), "head": int(best_head)} if (
            0 <= best_layer < config.n_decoder_layers and 0 <= best_head < config.n_heads
        ):
            layer, head = best_layer, best_head
    rows, _ = matrix_size(run, "cross-attention")
    query = rows // 2
    weights = attention_trace(run, "cross-attention", layer).weights[0, head, query]
    return Selection("cross-attention", layer, head, query, int(weights.argmax()), query)


def nearest(run: Run, asked: Mapping[str, object]) -> tuple[Selection, tuple[str, ...]]:
    """Make a selection of what is asked for by name, as numbers or text; the default for the rest.

    What this run does not have becomes the nearest that it has, with a note for each that says so.
    """
    default = default_selection(run)
    notes: list[str] = []
    wanted_kind = asked.get("kind", default.kind)
    kind = _known_kind(wanted_kind) or default.kind
    if kind != wanted_kind:
        notes.append(
            f"The link asks for {_quoted(wanted_kind)}; there are {', '.join(KINDS)}. "
            f"Showing {kind}."
        )
    rows, columns = matrix_size(run, kind)
    sizes = {
        "layer": layer_count(run.info.config, kind),
        "head": run.info.config.n_heads,
        "query": rows,
        "key": columns,
        "step": len(run.steps),
    }
    numbers: dict[str, int] = {}
    for name, size in sizes.items():
        wanted = asked.get(name, getattr(default, name))
        numbers[name] = _nearest_number(wanted, getattr(default, name), size)
        if str(wanted) != str(numbers[name]) and name in asked:
            notes.append(
                f"The link asks for {name} {_quoted(wanted)}; here there are 0 to {size - 1}. "
                f"Showing {name} {numbers[name]}."
            )
    return Selection(kind=kind, **numbers), tuple(notes)


def _known_kind(wanted: object) -> AttentionKind | None:
    for kind in KINDS:
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
