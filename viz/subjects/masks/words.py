"""All that the page of masks says: its labels, and sentences made from a run's numbers."""

import math
from collections.abc import Collection, Sequence

from model.anatomy import Anatomy
from viz.pictures.numbers import number_text, percent_text
from viz.run.reading_ahead import say_imposed, say_taken_away
from viz.run.record import AttentionKind
from viz.subjects.masks.batch import MAX_SENTENCES, MIN_SENTENCES
from viz.subjects.masks.effects import SentenceChange
from viz.subjects.masks.empty import EmptyRows
from viz.subjects.masks.lab import (
    HIDES,
    LabRun,
    Switch,
    fill_name,
    has_future,
    strongest_leak,
)
from viz.subjects.masks.leaks import Leak

TITLE = "Masks"
READING_BACK = "A word that is being written may read only what was written before it"
QUESTION = "What may each word read?"
CHANGE_BATCH = "Change the sentences"
BATCH_FOLD = "The batch: sentences of different lengths, padded to one"
WHY = (
    "In training the decoder is given the whole right sentence. If it could look ahead, it would "
    "copy the next word instead of learning to find it, and later, writing alone, it would have "
    "nothing to copy."
)
WHY_OF_ONE_TEXT = (
    "In training the model is given the whole text, and each word is to predict the next one. If "
    "it could look ahead, it would copy that word instead of learning to find it, and later, "
    "writing alone, it would have nothing to copy."
)
SEE_WITHOUT = "A model without this mask"
WITHOUT_MASK = "No causal mask"
"""What the page of variants calls its demonstration."""
EACH_MASK_FOLD = "Each mask by itself: what it hides from whom"
STEPS_FOLD = "One head, step by step: its scores, what the mask writes there, its weights"
DIALS_FOLD = "Change the mask in your own sentence: every page then shows that run"
NUMBERS_FOLD = "In numbers: what leaks, and how the output changes"
EMPTY_FOLD = "A row that may read nothing: what softmax makes of it"
MAY_READ = "What may be read"
BATCH = f"The batch: {MIN_SENTENCES} to {MAX_SENTENCES} sentences, one per line"
BATCH_READ = "Each sentence, and what the model writes for it alone, padded to one length"
BATCH_READ_OF_ONE_TEXT = "Each sentence as the model reads it, padded to one length"
CANNOT_RUN = "This batch cannot be run"
SENTENCE, SENTENCE_IN_VIEW = "Sentence", "Sentence in view"
IN_FORCE = "Masks in force"
SWITCHES: dict[Switch, str] = {
    "encoder_padding": "Encoder: hide padding",
    "causal": "Decoder: hide later tokens",
    "target_padding": "Decoder: hide padding",
    "cross_padding": "Cross-attention: hide padding",
}
SWITCHES_OF_ONE_TEXT: dict[Switch, str] = {
    "encoder_padding": "Hide padding",
    "causal": "Hide later tokens",
    "target_padding": "Hide padding",
}
FILL = "A hidden score becomes"
OWN_MASKS = "As in the variant"
UNCHANGED = "These are the masks of the variant itself: switch one to compare."
MASKS_NOTE = (
    "Filled: may be read. Hatched: hidden. Only the decoder's self-attention has later tokens to "
    "hide; there, a key must pass both masks."
)
MASKS_NOTE_BOTH = "Filled: may be read. Hatched: hidden. A key must pass both masks."
MASKS_NOTE_PADDING = "Filled: may be read. Hatched: hidden."
PARTS = {"padding": "padding mask", "causal": "causal mask", "combined": "both masks together"}
SCORES = "Scores before the mask"
WEIGHTS_BEFORE = "Weights under the variant's own masks"
WEIGHTS_NOW = "Weights now"
WEIGHTS_CHANGE = "Change in the weights"
LEAKS = "Weight that goes where it must not: the worst row of any head"
LEAKS_HEAD = ("", "to later tokens", "to padding", "rows without a key", "rows that are NaN")
NO_FUTURE = "has no later tokens"
CHANGES = "The output, compared with the variant's own masks"
CHANGES_HEAD = (
    "sentence",
    "largest change in a logit",
    "most probable tokens changed",
    "loss, nats per token",
    "compared with the sentence alone",
    "now says",
)
EMPTY = "A row whose keys are all hidden"
EMPTY_NOTE = (
    "Tried with a source of nothing but <pad> beside the sentence above. A softmax over "
    "no keys has no answer: −∞ gives NaN, a finite fill spreads the weight evenly, and a variant "
    "that masks nothing reads the padding."
)
EVERY_VARIANT = "Compare all variants of this task"
RUNNING_VARIANTS = "Running the variants"
NOT_TRIED = "The sentence above cannot be tried"
EMPTY_HEAD = (
    "",
    "fill",
    "weights of the encoder",
    "weights of cross-attention",
    "its logits",
    "the sentence beside it, compared with it alone",
)
NAN = "NaN"
SAME, DIFFERS = "✓ same", "✗ differs"


def key_title(kind: AttentionKind, usual: str, language: str) -> str:
    """Title the keys: those of the decoder are the whole target, whatever the masks let it read.

    `language` is that of the target; empty in a model of one text.
    """
    token = f"{language} token" if language else "token"
    return f"key: {token}, earlier or later" if has_future(kind) else usual


def switch_label(name: Switch, kinds: Collection[AttentionKind]) -> str:
    """Name a switch; where there is one kind of attention, without saying which."""
    return SWITCHES[name] if len(kinds) > 1 else SWITCHES_OF_ONE_TEXT[name]


def masks_note(kinds: Collection[AttentionKind]) -> str:
    """Say how the pictures of the masks are read."""
    if len(kinds) > 1:
        return MASKS_NOTE
    return MASKS_NOTE_BOTH if any(map(has_future, kinds)) else MASKS_NOTE_PADDING


def why(anatomy: Anatomy) -> str:
    """Say why a decoder has a causal mask."""
    return WHY if anatomy.translates else WHY_OF_ONE_TEXT


def batch_read(anatomy: Anatomy) -> str:
    """Say what the batch is."""
    return BATCH_READ if anatomy.translates else BATCH_READ_OF_ONE_TEXT


def head_title(kind: AttentionKind, layer: int, head: int) -> str:
    """Name the head in view for people."""
    return f"{_begun(kind)}, layer {layer}, head {head}"


def before_and_after(sentence: int) -> str:
    """Head the scores and weights of one sentence."""
    return f"Sentence {sentence + 1} before and after"


def mask_title(kind: AttentionKind, part: str, window: int = 0) -> str:
    """Name the picture of one mask."""
    within = f" and window of {window}" if part == "causal" and window else ""
    return f"{_begun(kind)}: {PARTS[part]}{within}"


def hidden_cells(hidden: int, cells: int) -> str:
    """Say how much a mask hides."""
    return f"{hidden} of {cells} hidden"


def masked_scores(fill: float) -> str:
    """Name the picture of the scores as the softmax takes them."""
    return f"With the mask: {fill_name(fill)} where hidden"


def leaking(cells: int) -> str:
    """Say how many cells have a weight that the paper's masks would not allow."""
    if not cells:
        return "no cell leaks"
    return f"{_count(cells, 'cell')} {'leaks' if cells == 1 else 'leak'}"


def answer(own: LabRun, other: LabRun, losses: tuple[float, float], sentence: int) -> str:
    """Say what the causal mask of a model is for, measured by switching it.

    Args:
        own: The run under the model's own masks.
        other: The same with the causal mask switched.
        losses: Of both, in nats per token, given the right tokens before each.
        sentence: The one in view.
    """
    if "decoder self-attention" not in own.kinds:
        return _answer_both_ways(own, other)
    is_alone = len(own.kinds) == 1
    if not own.switches.causal:
        leak = _leak_sentence(own, "causal", sentence)
        begun = "a word" if is_alone else "a word that is being written"
        imposed = "" if any(map(math.isnan, losses)) else say_imposed(*losses)
        return (
            f"In this model nothing hides the words ahead: {begun} may read "
            f"those after it, and the one that it is to predict. {leak} {imposed}"
        ).rstrip()
    said = _reading_back(own.model.config.window) if is_alone else READING_BACK
    found = strongest_leak(other, "causal", sentence)
    if found is None:
        return f"{said}."
    kind, (layer, head, _) = found
    cells = _count(len(other.leaking_cells(kind, layer, head, sentence)), "cell")
    return f"{said}: switch that off, and {cells} of one head read ahead."


def _reading_back(window: int) -> str:
    if window == 1:
        return "A word may read only itself"
    if window:
        back = _count(window - 1, "token")
        return f"A word may read only itself and the {back} before it"
    return "A word may read only itself and what stands before it"


def _answer_both_ways(own: LabRun, other: LabRun) -> str:
    """Say what an encoder alone hides: padding, or nothing."""
    said = "Each word may read every other, before it and after it"
    if not own.switches.encoder_padding:
        return f"{said}; nothing is hidden, not even padding."
    found = strongest_leak(other, "encoder_padding")
    if found is None:
        return f"{said}; only padding would be hidden, and these sentences have none."
    kind, (layer, head, sentence) = found
    cells = _count(len(other.leaking_cells(kind, layer, head, sentence)), "cell")
    return f"{said}; only padding is hidden: switch that off, and {cells} of one head read it."


def say_ahead(before: LabRun, now: LabRun, losses: tuple[float, float]) -> str:
    """Say what a switched causal mask does to the loss; nothing where it was not switched."""
    if before.switches.causal == now.switches.causal or any(map(math.isnan, losses)):
        return ""
    return say_imposed(*losses) if now.switches.causal else say_taken_away(*losses)


def mean_losses(changes: Sequence[SentenceChange]) -> tuple[float, float]:
    """Give the mean loss of the batch's real tokens, before and after."""
    if not changes:
        return math.nan, math.nan
    counts = [len(change.positions) for change in changes]
    before, after = (
        sum(count * loss for count, loss in zip(counts, losses, strict=True)) / sum(counts)
        for losses in (
            [change.loss_before for change in changes],
            [change.loss_after for change in changes],
        )
    )
    return before, after


def switch_results(
    baseline: LabRun, changed: LabRun, changes: Sequence[SentenceChange], sentence: int
) -> tuple[str, ...]:
    """Say what the switches do to the sentence in view: what each lets through, what that changes.

    Losses are those of the whole batch: what a model learned shows in more than one sentence.
    """
    before, now = baseline.switches, changed.switches
    said = [UNCHANGED] if before == now else []
    leaks = leak_sentences(changed, sentence)
    for name, is_on in changed.switched_here().items():
        label = switch_label(name, changed.kinds)
        if not is_on:
            said.append(f"“{label}” is off. {leaks[name]}")
        elif not before.named()[name]:
            said.append(f"“{label}” is on. {_leak_sentence(changed, name, sentence)}")
    if before.fill != now.fill:
        said.append(fill_sentence(changed, sentence))
    if before != now and changes:
        said.append(change_sentence(changes[sentence], sentence))
        said.append(say_ahead(baseline, changed, mean_losses(changes)))
    return tuple(filter(None, said))


def change_sentence(change: SentenceChange, sentence: int) -> str:
    """Say how far the output for a sentence is from that under the variant's own masks."""
    output = f"output for sentence {sentence + 1}"
    if math.isnan(change.logit_difference):
        return f"In the {output}, logits are NaN."
    if change.logit_difference == 0:
        return f"The {output} stays exactly the same."
    return (
        f"In the {output}, the most probable token changes at {change.changed_tokens} of "
        f"{_count(len(change.positions), 'position')}, and a logit by up to "
        f"{number_text(change.logit_difference)}."
    )


def leak_sentences(run: LabRun, sentence: int) -> dict[Switch, str]:
    """Say for each switch that is off what it lets through in a sentence.

    Plain text, not escaped. Rows and sentences count from 1, layers and heads from 0.
    """
    switches = run.switched_here()
    return {n: _leak_sentence(run, n, sentence) for n, is_on in switches.items() if not is_on}


def fill_sentence(run: LabRun, sentence: int | None = None) -> str:
    """Say whether the filled value hides what the masks in force forbid, in one sentence or any."""
    fill = fill_name(run.switches.fill)
    if all(run.masks[kind].combined.all() for kind in run.kinds):
        return f"The masks hide nothing here, so {fill} is not used anywhere."
    if undefined := sum(int(run.leaks[kind].undefined_rows.sum()) for kind in run.kinds):
        return f"With {fill}, {undefined} rows of weights in all heads are NaN."
    found = strongest_leak(run, sentence=sentence) or strongest_leak(run)
    if found is None:
        return f"With {fill}, what the masks in force hide weighs exactly 0 in the rows of tokens."
    kind, place = found
    given = _given(run, kind, run.hidden(kind), place)
    return f"{given} to keys that the mask hides: {fill} is not low enough."


def share_of_row(share: float) -> str:
    """Write the part of a row's weight that leaks."""
    return f"{percent_text(share)} of a row" if share > 0 else "0"


def empty_rows(rows: EmptyRows) -> str:
    """Say what became of the rows of one kind of attention."""
    return f"{'all hidden' if rows.masked else 'not hidden'}: {rows.outcome}"


def undefined(positions: int, of: int) -> str:
    """Say at how many positions the logits are NaN."""
    return f"{positions} of {of} NaN"


def part(count: int, of: int) -> str:
    """Say how many of some are meant."""
    return f"{count} of {of}"


def by(difference: float, text: str) -> str:
    """Say how far two ways to the same logits are apart."""
    return f"({text})" if difference == 0 else f"by up to {text}"


def more(count: int) -> str:
    """Say how many are left out of a list."""
    return f" and {count} more" if count > 0 else ""


def _leak_sentence(run: LabRun, name: Switch, sentence: int) -> str:
    kind, sort = HIDES[name]
    leak = run.through(name, sentence)
    pad = run.batch.pad
    to = "later tokens" if sort == "future" else pad
    if leak.share.max() > 0:
        return f"{_given(run, kind, leak, leak.worst)} to {to}."
    if sort == "future":
        return "No weight goes to later tokens in this sentence."
    is_padding = ~run.batch.real_keys(kind)
    if not is_padding.any():
        return f"All sentences have the same length here, so there is no {pad} to read."
    if not is_padding[sentence].any():
        return _padding_elsewhere(run, kind, run.through(name), sentence)
    if run.switches.hides(kind, "future"):
        return (
            f"No row of a token reads {pad}: it comes after them all, where the causal mask hides "
            f"it. Rows of {pad} give it {number_text(float(leak.padding_rows.sum()))} in all."
        )
    return f"No weight goes to {pad} in this sentence."


def _padding_elsewhere(run: LabRun, kind: AttentionKind, leak: Leak, sentence: int) -> str:
    """Say that a sentence has no padding, being the longest, and what another one does with it."""
    pad = run.batch.pad
    said = f"Sentence {sentence + 1} is as long as any here, so it has no {pad} to read."
    if leak.share.max() == 0:
        return said
    return f"{said} {_given(run, kind, leak, leak.worst)} to {pad}."


def _given(run: LabRun, kind: AttentionKind, leak: Leak, place: tuple[int, int, int]) -> str:
    layer, head, sentence = place
    row, share = int(leak.row[place]), float(leak.share[place])
    token = run.batch.labels(kind, sentence)[0][row]
    return (
        f"Row {row + 1} ({token}) of sentence {sentence + 1} gives {percent_text(share)} of its "
        f"weight in {kind}, layer {layer}, head {head},"
    )


def _begun(kind: AttentionKind) -> str:
    return f"{kind[0].upper()}{kind[1:]}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
