"""Sentences of the Two heads page, computed from a run."""

from markupsafe import Markup

from model.attribution.copying import LEAST_SHARE, LEAST_TIMES, HeadReading
from sample_data.one_text.record import HeadCut, HeadTable
from texts import listed, say, say_of
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import say_markup, token
from viz.subjects.induction.head_search import Trick, counts_here, head_name
from viz.subjects.induction.lapse import Lapse
from viz.subjects.induction.random_scores import TEXTS, RandomScores


def answer(trick: Trick) -> Markup:
    """State which head copies in the row in view and which one enables it, or that none does."""
    if trick.before is None or not trick.is_there:
        return _no_pair(trick)
    row, before, copier = trick.row, trick.before, _name(trick.copier)
    here = token(trick.tokens[row])
    place = _most_read(trick)
    follows = place in trick.followers[row]
    if not follows or not trick.does(trick.copier, row, trick.followers[row]):
        share = percent_text(trick.weight(trick.copier, row, trick.followers[row]))
        return say_markup("induction.hardly", here=here, copier=copier, read=share)
    found = trick.tokens[place]
    same = [at for at in trick.followers[row] if trick.tokens[at] == found]
    said = say_markup(
        "induction.answer",
        here=here,
        copier=copier,
        read=percent_text(trick.weight(trick.copier, row, same)),
        found=token(found),
    )
    told = trick.share(before, place, [place - 1])
    name, share = _name(before), percent_text(told.weight)
    if counts_here(told):
        return said + " " + say_markup("induction.answer_before", before=name, told=share)
    mean = percent_text(before.previous)
    below = say_markup("induction.answer_not_before", before=name, told=share, mean=mean)
    return said + " " + below


def rule() -> str:
    """State when two heads count as a pair that copies."""
    return say("induction.rule", share=LEAST_SHARE, times=LEAST_TIMES)


def _no_pair(trick: Trick) -> Markup:
    """Name the best pair of heads, or head, of a text in which none suffices."""
    copier, copies = _name(trick.copier), percent_text(trick.copier.copies)
    if trick.before is None:
        return say_markup("induction.one_layer", copier=copier, copies=copies)
    return say_markup(
        "induction.no_pair",
        before=_name(trick.before),
        previous=percent_text(trick.before.previous),
        copier=copier,
        copies=copies,
    )


def random_answer(found: RandomScores) -> Markup:
    """State whether two heads copy random words, or how far the best are from it."""
    copier, copies = _name(found.copier), percent_text(found.copier.copies)
    if found.before is None:
        return say_markup("induction.random_one_layer", copier=copier, copies=copies)
    before = {
        "before": _name(found.before),
        "previous": percent_text(found.before.previous),
    }
    if found.is_there:
        return say_markup("induction.random_pair", copier=copier, copies=copies, **before)
    return say_markup("induction.random_no_pair", copier=copier, copies=copies, **before)


def random_columns() -> tuple[str, ...]:
    """Return the headings of the table of scores on random words."""
    names = ("head", "copies", "previous", "does")
    return tuple(say_of("induction.random_column", name) for name in names)


def random_row(head: HeadReading) -> tuple[str, str, str, str]:
    """Return the cells of one head."""
    halves = (("copies", head.on_copies), ("previous", head.on_previous))
    does = [say_of("induction.random_does", name) for name, share in halves if share.counts]
    shares = percent_text(head.copies), percent_text(head.previous)
    return head_name(head.layer, head.head), *shares, listed(does) if does else "–"


def random_note(found: RandomScores) -> str:
    """Describe the texts, and when a head does its half."""
    return f"{say('induction.random_note', texts=TEXTS, length=found.length)} {rule()}"


def after_cut(before: Trick, after: Trick | None, cut: list[str]) -> Markup:
    """Describe the effect of a cut on the row in view."""
    row = before.row
    was = before.weight(before.copier, row, before.followers[row])
    heads = listed(cut)
    if after is None or row >= len(after.tokens):
        return say_markup("induction.after_cut_other", heads=heads)
    copier = before.copier
    now = after.weight(copier, row, before.followers[row])
    return say_markup(
        "induction.after_cut",
        heads=heads,
        copier=_name(copier),
        now=percent_text(now),
        was=percent_text(was),
        here=token(before.tokens[row]),
        next=token(after.likeliest[row]),
        chance=percent_text(after.chances[row]),
        next_before=token(before.likeliest[row]),
        chance_before=percent_text(before.chances[row]),
    )


def cut_label(layer: int, head: int, *, is_cut: bool) -> str:
    """Name the button that cuts a head, or restores it."""
    name = head_name(layer, head)
    return say("induction.put_back" if is_cut else "induction.cut", head=name)


def cut_columns() -> tuple[str, ...]:
    """Return the headings of the table of cuts."""
    names = ("without", "right")
    return tuple(say_of("induction.column", name) for name in names)


def cuts_note(table: HeadTable) -> str:
    """Describe how the table was made."""
    return say(
        "induction.cuts_note",
        texts=table.texts,
        right=percent_text(table.whole.right),
    )


def dearest(table: HeadTable) -> str:
    """Describe the overall result of the table."""
    first, *_ = table.ranked()
    ((layer, head),) = first.cut
    whole = [cut for cut in table.cuts if len(cut.cut) > 1]
    said = say("induction.dearest", head=head_name(layer, head), share=percent_text(first.right))
    if whole and first.right > 2 * max(cut.right for cut in whole):
        worst = max(whole, key=lambda cut: cut.right)
        return f"{said} {say('induction.dearest_layer', share=percent_text(worst.right))}"
    return said


def cut_row(cut: HeadCut) -> tuple[str, str]:
    """Return the cells of one line of the table."""
    layer, head = cut.cut[0]
    one = len(cut.cut) == 1
    name = head_name(layer, head) if one else say("induction.all_heads", layer=layer)
    return name, percent_text(cut.right)


def lapse_answer(lapse: Lapse) -> str:
    """Describe how sudden the change was."""
    before, after = lapse.change()
    said = say(
        "induction.lapse",
        step=before.step,
        before=percent_text(before.right),
        last=after.step,
        after=percent_text(after.right),
    )
    if lapse.control:
        _, share = lapse.control[-1]
        return f"{said} {say('induction.lapse_control', share=percent_text(share))}"
    return said


def _most_read(trick: Trick) -> int:
    return int(trick.weights[trick.copier.layer, trick.copier.head, trick.row].argmax())


def _name(reading: HeadReading) -> Markup:
    return Markup("<b>{}</b>").format(head_name(reading.layer, reading.head))
