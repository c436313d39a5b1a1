"""The answer of the Compare page: what changed between two runs, in a few sentences."""

from collections.abc import Mapping

from markupsafe import Markup

from viz.heads.text_alignment import Pairs
from viz.pictures.tokens import joined
from viz.run.axes import AttentionKind, axis_tokens
from viz.run.record import Run
from viz.subjects.compare import words
from viz.subjects.compare.heads import KindChange, Row, strongest_rows


def answer(
    a: Run,
    b: Run,
    changes: Mapping[AttentionKind, KindChange],
    target: Pairs,
    *,
    matched: bool,
) -> Markup:
    """State how the output changes, and which head differs most.

    Args:
        a: The run in view.
        b: The other run.
        changes: The changes of every head.
        target: The pairs of tokens of both targets.
        matched: Whether heads are paired by similarity.
    """
    heads = _heads(a, b, changes, matched=matched)
    if not a.steps or not b.steps:
        return joined([heads])
    outputs = words.say_outputs(*replaced(a, b, target), given=a.given or b.given)
    return joined([outputs, " ", heads])


def _heads(a: Run, b: Run, changes: Mapping[AttentionKind, KindChange], *, matched: bool) -> Markup:
    """Name heads, each with the row that moved most; heads paired by similarity with all rows."""
    rows = strongest_rows(changes)
    if matched:
        rows.sort(key=lambda row: row.mean)
        return words.say_matched([_told(a, b, changes, row, row.mean) for row in rows])
    first = rows[0] if rows and rows[0].moved else None
    return words.say_heads(_told(a, b, changes, first, first.moved) if first else None)


def _told(
    a: Run, b: Run, changes: Mapping[AttentionKind, KindChange], row: Row, moved: float
) -> words.Told:
    names = [axis_tokens(r, row.kind)[0] for r in (a, b)]
    word = words.pair_label(changes[row.kind].rows[row.place], names[0], names[1])
    writes = a.anatomy.site(row.kind).rows == "writes"
    return words.Told(row.kind, row.layer, row.head, word, moved, writes=writes)


def replaced(a: Run, b: Run, target: Pairs) -> tuple[list[tuple[str, str]], int, int]:
    """Find the written tokens that differ; count those that both have and those of the longer.

    Tokens of a prompt do not count.
    """
    ours, theirs = (_words(run) for run in (a, b))
    pairs = [(ours.get(i, ""), theirs.get(j, "")) for i, j in target]
    differing = [(x, y) for x, y in pairs if x != y]
    same = sum(x == y != "" for x, y in pairs)
    return differing, same, max(len(ours), len(theirs))


def _words(run: Run) -> dict[int | None, str]:
    specials = run.info.tokenizers.target.specials.all
    pairs = enumerate(zip(run.target_ids, run.target_tokens, strict=True))
    return {i: token for i, (id, token) in pairs if i > run.n_prompt and id not in specials}
