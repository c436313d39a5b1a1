"""What each switch of the mask laboratory lets through, in sentences made from a run's numbers."""

from model.tokenizer import PAD_ID
from viz.run.record import KINDS, AttentionKind
from viz.subjects.masks.lab import HIDES, LabRun, Switch, fill_name
from viz.subjects.masks.leaks import Leak


def leak_sentences(run: LabRun) -> dict[Switch, str]:
    """Say for each switch that is off what it lets through.

    Plain text, not escaped. Rows and sentences count from 1, layers and heads from 0.
    """
    return {name: _leak_sentence(run, name) for name in HIDES if not getattr(run.switches, name)}


def fill_sentence(run: LabRun) -> str:
    """Say whether the filled value hides what the masks in force forbid."""
    fill = fill_name(run.switches.fill)
    if all(run.masks[kind].combined.all() for kind in KINDS):
        return f"The masks hide nothing here, so {fill} is put nowhere."
    if undefined := sum(int(run.leaks[kind].undefined_rows.sum()) for kind in KINDS):
        return f"With {fill}, {undefined} rows of weights in all heads are NaN."
    kind = max(KINDS, key=lambda kind: run.leaks[kind].hidden.share.max())
    if run.leaks[kind].hidden.share.max() == 0:
        return f"With {fill}, what the masks in force hide weighs exactly 0 in the rows of tokens."
    given = _largest(run, kind, run.leaks[kind].hidden)
    return f"{given} to keys that the mask hides: {fill} is not low enough."


def _leak_sentence(run: LabRun, name: Switch) -> str:
    kind, sort = HIDES[name]
    leak = run.leaks[kind].future if sort == "future" else run.leaks[kind].padding
    if leak.share.max() > 0:
        given = _largest(run, kind, leak)
        return f"{given} to {'later tokens' if sort == 'future' else '<pad>'}."
    if sort == "future":
        return "No weight goes to later tokens in this batch."
    if run.batch.keys(kind).ne(PAD_ID).all():
        return "All sentences are of one length here: there is no <pad> to read."
    if run.switches.hides(kind, "future"):
        return (
            "No row of a token reads <pad>: it stands after them all, where the causal mask hides "
            f"it. Rows of <pad> give it {leak.padding_rows.sum():.2f} in all."
        )
    return "No weight goes to <pad> in this batch."


def _largest(run: LabRun, kind: AttentionKind, leak: Leak) -> str:
    layer, head, sentence = place = leak.worst
    row, share = int(leak.row[place]), float(leak.share[place])
    token = run.batch.labels(kind, sentence)[0][row]
    number = f"{share:.2f}" if share >= 0.01 else f"{share:.1g}"
    return (
        f"Row {row + 1} ({token}) of sentence {sentence + 1} gives {number} of its weight in "
        f"{kind}, layer {layer}, head {head},"
    )
