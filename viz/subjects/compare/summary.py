"""The answer of the page: what changed between two runs, in a few sentences."""

from collections.abc import Mapping

import numpy as np
from markupsafe import Markup

from viz.pictures.tokens import joined
from viz.run.record import AttentionKind, Run, axis_tokens
from viz.run.text_alignment import Pairs
from viz.subjects.compare import words
from viz.subjects.compare.heads import KindChange, strongest_rows


def answer(
    a: Run,
    b: Run,
    changes: Mapping[AttentionKind, KindChange],
    target: Pairs,
    *,
    matched: bool,
) -> Markup:
    """State which heads look elsewhere, and what becomes of the output.

    Args:
        a: The run in view.
        b: The other one.
        changes: What became of every head.
        target: The tokens of both targets in pairs.
        matched: Whether heads were paired by where they look.
    """
    heads = (
        words.say_matched(likeness(changes)) if matched else words.say_heads(told(a, b, changes))
    )
    if not a.steps or not b.steps:
        return joined([heads])
    outputs = words.say_outputs(*replaced(a, b, target), given=a.given or b.given)
    return joined([heads, " ", outputs])


def told(a: Run, b: Run, changes: Mapping[AttentionKind, KindChange]) -> list[words.Told]:
    """Name each head's strongest row by its token, the head that moved most first."""
    found = []
    for row in strongest_rows(dict(changes)):
        names = [axis_tokens(r, row.kind)[0] for r in (a, b)]
        word = words.pair_label(changes[row.kind].rows[row.place], names[0], names[1])
        writes = a.anatomy.site(row.kind).rows == "writes"
        found.append(
            words.Told(row.kind, row.layer, row.head, word, row.bits, row.moved, writes=writes)
        )
    return found


def likeness(changes: Mapping[AttentionKind, KindChange]) -> list[words.Likeness]:
    """List the heads with a partner by the share of their weight elsewhere, the least first."""
    found = [
        words.Likeness(kind, layer, head, float(share))
        for kind, change in changes.items()
        for (layer, head), share in np.ndenumerate(change.moved_on_average)
        if not np.isnan(share)
    ]
    return sorted(found, key=lambda each: each.moved)


def replaced(a: Run, b: Run, target: Pairs) -> tuple[list[tuple[str, str]], int, int]:
    """Find the tokens that differ, then count those that both have and those of the longer one.

    Of the tokens that were written, after a prompt.
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
