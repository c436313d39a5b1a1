"""All that the page on induction says: its question, and answers computed from a run."""

from collections.abc import Sequence

from markupsafe import Markup

from model.config import TransformerConfig
from sample_data.one_text.induction import COPIED
from sample_data.one_text.record import HeadCut, HeadTable
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import token
from viz.subjects.induction.finding import Trick
from viz.subjects.induction.lapse import Lapse, Moment
from viz.subjects.induction.packing import head_name
from viz.work.job import Job

TITLE = "Two heads"
QUESTION = "How does it know what comes next, in words that it has never seen together?"
NOTHING_REPEATS = "No word of this text comes twice, so there is nothing to copy."
TRY = "Type some words and begin again: “{example}”."
CUTS = "What is lost without each head"
LAPSE = "How the trick was learned"
STEP = "Step of the training"
LIVE = "Train one now"
LIVE_NOTE = (
    "The same toy from new weights, in about half a minute of one core. Try one layer, or another "
    "seed: other heads take the two parts, and the change comes at nearly the same step."
)
LAYERS = "Layers"
HEADS = "Heads a layer"
SEED = "Seed"
TRAIN = "Train"
STOP = "Stop"
NOT_TRAINED = "The training ended early"
COPIED_RIGHT = "copied words right"
BEST_LOOKS = "best head reads what followed"
BEST_PREVIOUS = "best head reads the word before"
CUT_HELP = "The head then gives its average everywhere."
_ONE_LAYER = (
    "A model with one layer cannot do this: when its head looks for the place after the last copy, "
    "no head has told that place what stands before it."
)


def answer(trick: Trick, config: TransformerConfig) -> Markup:
    """Say which head copies in the row in view, and which one lets it."""
    row = trick.row
    read = trick.weight(trick.copier, row, trick.followers[row])
    here = token(trick.tokens[row])
    if read < 0.3:
        said = Markup(
            "It hardly does here. After {here}, the head that reads most of what followed it the "
            "last time is {copier}, and that reads {read} of it."
        ).format(here=here, copier=_name(trick.copier), read=percent_text(read))
        return said + " " + (_ONE_LAYER if config.n_decoder_layers == 1 else "")
    place = _most_read(trick)
    said = Markup(
        "It looks up what came the last time. {here} was here before: {copier} puts {read} of its "
        "weight on what followed, {found}."
    ).format(
        here=here,
        copier=_name(trick.copier),
        read=percent_text(read),
        found=token(trick.tokens[place]),
    )
    if trick.before is None:
        return said
    told = float(trick.weights[trick.before.layer, trick.before.head, place, place - 1])
    return said + Markup(
        " There {before}, a layer below, had read the word before it ({told}), so the place can be "
        "found by what stands before it. Cut either head to see whether it is needed."
    ).format(before=_name(trick.before), told=percent_text(told))


def after_cut(before: Trick, after: Trick | None, cut: list[str]) -> Markup:
    """Say what a cut has done to the row in view."""
    row = before.row
    was = before.weight(before.copier, row, before.followers[row])
    heads = " and ".join(cut)
    if after is None or row >= len(after.tokens):
        return Markup("Without {}, the text goes on otherwise.").format(heads)
    copier = before.copier
    now = after.weight(copier, row, before.followers[row])
    return Markup(
        "Without {heads}, {copier} puts {now} of its weight there, before {was}. After {here} now "
        "comes {next} with {chance}; it was {next_before} with {chance_before}."
    ).format(
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
    """Name the button that cuts a head, or puts it back."""
    name = head_name(layer, head)
    return f"Put {name} back" if is_cut else f"Cut {name}"


def cut_columns(table: HeadTable) -> tuple[str, ...]:
    """Head the table of what each cut costs."""
    what = "what followed the last copy" if _copies(table) else "what decides"
    return (
        "without",
        f"{_words(table)} right",
        f"a head above still reads {what}",
        "the head itself reads the word before",
        f"… or {what}",
    )


def cuts_note(table: HeadTable) -> str:
    """Say how the table was made."""
    return (
        f"Measured on {table.texts} held-out rows. A head that is cut gives everywhere what it "
        f"gives on average over {table.mean_texts} other rows. The model as it is tells "
        f"{percent_text(table.whole.right)} of the {_words(table)}; a head that read all it may "
        f"alike would put {percent_text(table.chance)} on what decides them."
    )


def dearest(table: HeadTable) -> str:
    """Say what the table comes to."""
    first, *_ = table.ranked()
    ((layer, head),) = first.cut
    whole = [cut for cut in table.cuts if len(cut.cut) > 1]
    said = (
        f"The dearest head is {head_name(layer, head)}: without it {percent_text(first.right)} of "
        f"the {_words(table)} are right."
    )
    if whole and first.right > 2 * max(cut.right for cut in whole):
        worst = max(whole, key=lambda cut: cut.right)
        said += (
            " Where a layer has several heads, one can stand in for another: without all heads of "
            f"either layer at most {percent_text(worst.right)} are right."
        )
    return said


def cut_row(table: HeadTable, cut: HeadCut) -> tuple[str, str, str, str, str]:
    """Give the cells of one line of the table."""
    layer, head = cut.cut[0]
    above = [reading for reading in cut.readings if reading.layer > layer]
    looks = max(above, key=lambda reading: reading.looks, default=None)
    one = table.whole.reading(layer, head) if len(cut.cut) == 1 else None
    return (
        head_name(layer, head) if one else f"all heads of layer {layer}",
        percent_text(cut.right),
        percent_text(looks.looks) if looks else "–",
        percent_text(one.previous) if one else "",
        percent_text(one.looks) if one else "",
    )


def lapse_answer(lapse: Lapse) -> str:
    """Say how sudden it was."""
    before, after = lapse.change()
    said = (
        f"All at once: at step {before.step} {percent_text(before.right)} of the copied words are "
        f"right, at step {after.step} {percent_text(after.right)}. Neither head is of use without "
        "the other, so both come together."
    )
    if lapse.control:
        _, share = lapse.control[-1]
        said += f" One layer, trained on the same rows, stays at {percent_text(share)}."
    return said


def training_words(job: Job) -> str:
    """Say how far a training is."""
    done, total = job.progress
    if job.status == "waiting" or not total:
        return "Training two heads: making its rows"
    return f"Training two heads: step {done} of {total}"


def live_words(moments: Sequence[Moment]) -> str:
    """Say how a training stands at its last look."""
    last = moments[-1]
    (layer, head), looks = max(last.looks.items(), key=lambda item: item[1])
    return (
        f"At step {last.step} {percent_text(last.right)} of the copied words are right; "
        f"{head_name(layer, head)} puts {percent_text(looks)} of its weight on what followed the "
        "last copy."
    )


def _copies(table: HeadTable) -> bool:
    return COPIED in table.whole.kinds


def _words(table: HeadTable) -> str:
    return "copied words" if _copies(table) else "known words"


def _most_read(trick: Trick) -> int:
    weights = trick.weights[trick.copier.layer, trick.copier.head, trick.row]
    return max(trick.followers[trick.row], key=lambda place: float(weights[place]))


def _name(reading: object) -> Markup:
    layer, head = getattr(reading, "layer", 0), getattr(reading, "head", 0)
    return Markup("<b>{}</b>").format(head_name(layer, head))
