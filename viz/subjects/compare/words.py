"""All that the page of two runs says: its labels, and sentences made from what was measured."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from viz.pictures.numbers import fixed, percent_text
from viz.pictures.tokens import joined, token
from viz.run.record import KINDS, AttentionKind
from viz.run.text_alignment import Pair
from viz.subjects.compare.pairing import Side, Way
from viz.subjects.compare.stages import StageChange

TITLE = "Compare"
QUESTION = "What is different between these two runs?"
ANOTHER = "Compare with"
OTHER_FIELD = "The other sentence"
TARGET_FIELD = "The other given target"
MODEL_FIELD = "The other model"
PIN = "Pin this run"
PIN_HELP = "Keep the run in view: whatever is run next can be compared with it"
UNPIN = "Unpin"
NO_PIN = (
    "No run is pinned yet. Pin this one, then change the sentence, the model or the target above: "
    "the two stand side by side here."
)
PINNED_IS_IN_VIEW = (
    "This is the run that is pinned. Change the sentence, the model or the target above, and it is "
    "compared with this one."
)
CANNOT_RUN = "The other run cannot be made"
CANNOT_COMPARE = "Only what goes in and what comes out can be compared."
SAME_RUN = "Both runs are the same: there is nothing to compare. Choose another one."
LETTERS = ("A", "B")
WHOSE = ("the run in view", "the other")
WROTE_NOTHING = "(no words)"
SPREAD = {
    "encoder": "Encoder: how the difference spreads over the source",
    "decoder": "Decoder: how it spreads over what is written",
}
STAGES_NOTE = (
    "Each bar is the length of the difference of both states, as a share of the length of the "
    "state in A, over all positions that both have; the maps show the same for each position. "
    "Grey bars: the same in both, to the last bit. Hatched: a position without a partner. Those of "
    "the decoder are named, and paired, by the token that they write."
)
STAGES_NOTE_OF_TEXT = (
    "Each bar is the length of the difference of both states, as a share of the length of the "
    "state in A, over all positions that both have; the maps show the same for each position. Grey "
    "bars: the same in both, to the last bit. Hatched: a position without a partner."
)
STAGES_FOLD = "How far the numbers are apart, from the first to the last"
STEPS_FOLD = "What each would have written: the probabilities, step by step"
LIKELY = "How likely each whole output is in either run"
PAIRS_FOLD = "Which word is compared with which"
MATCH_FOLD = "Which head is compared with which"
STEPS_HEAD = ("step", "A wrote", "B wrote", "moved", "bits", "probabilities that changed most")
STEPS_NOTE = (
    "Moved is the share of the probability that lies on other tokens in the other run. Bits are "
    "the Jensen-Shannon divergence of the two distributions: 0 where they are the same, 1 where "
    "they have nothing in common. Steps are paired by the token that they write."
)
STEPS_NOTE_OF_TEXT = (
    "Moved is the share of the probability that lies on other tokens in the other run. Bits are "
    "the Jensen-Shannon divergence of the two distributions: 0 where they are the same, 1 where "
    "they have nothing in common. Steps are paired by the token before."
)
LIKELY_NOTE = (
    "The probability that a run gives to a whole output, token by token, given its own source: the "
    "product over all tokens, and below it the sum of their logarithms."
)
LIKELY_NOTE_OF_TEXT = (
    "The probability that a run gives to all that is written, token by token, given its own "
    "prompt: the product over all tokens, and below it the sum of their logarithms."
)
LIKELY_HEAD = ("", "in A", "in B")
THE_SAME = "the same"
NOT_THE_SAME_TOKENS = "cannot be written"
WAY = "Pairs"
WAYS: dict[Way, str] = {
    "tokens": "Same words",
    "ends": "Beginning and end",
    "gold": "What they translate",
}
WAYS_SAID: dict[Way, str] = {
    "tokens": ("Words that both texts have are paired, and in between one word after the other."),
    "ends": "Only what both texts begin with and what both end with is paired.",
    "gold": (
        "Sources are paired by their words; two words of the outputs are a pair where they "
        "translate the same word."
    ),
}
NO_GOLD = "The right translation of both is needed to pair words by what they translate."
BY_HAND = "Click a word of A, then a word of B, to pair them or to take them apart."
FORGET_PAIRS = "Forget the pairs made by hand"
OTHER_ANATOMY = (
    "One has attentions that the other lacks: a decoder alone, an encoder alone and a model with "
    "both are built of other parts, so heads cannot be set beside each other."
)
THE_TEXT = "The text"
SIDES: dict[Side, str] = {"source": "What goes in", "target": "What comes out"}
BY_LIKENESS = "Compare each head with the one of its layer that looks most alike"
BY_NUMBER_WARNING = (
    "Heads are compared by number. Between two trainings the numbers mean nothing: which head does "
    "what was left to chance."
)
MATCH_NOTE = (
    "Which head does what is left to chance in each training, so a number means nothing in another "
    "model. In each layer the heads are paired so that all of them together look as alike as "
    "possible."
)
STACKS: dict[AttentionKind, str] = {
    "encoder self-attention": "encoder",
    "decoder self-attention": "decoder",
    "cross-attention": "cross-attention",
}

FAR = 0.5
"""Bits from which a row looks elsewhere: half of what two rows can differ by."""
_MOST_NAMED = 3
_MOST_REPLACED = 3
_LEAST_TOLD = 0.01
_MOST_TIMES = 60.0
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six")


Matches = Mapping[AttentionKind, Sequence[Sequence[int | None]]]
"""By kind, layer and head of A: the head of B."""


class Told(NamedTuple):
    """A head, and the row of it that moved most."""

    kind: AttentionKind
    layer: int
    head: int
    word: str
    """Of the row, in A."""
    bits: float
    moved: float
    writes: bool = True
    """Whether a row of the decoder is named after the word that it writes."""


class Likeness(NamedTuple):
    """A head, and the share of its weight that lies elsewhere, over all its rows."""

    kind: AttentionKind
    layer: int
    head: int
    moved: float


def ways(*, changed: bool, pinned: bool, writes: bool = True) -> dict[str, str]:
    """Name what a run can be compared with, the likeliest first."""
    named = {
        "sentence": "Another sentence",
        "model": "Another model",
        **({"target": "Another target"} if writes else {}),
        "pinned": "The pinned run" if pinned else "A pinned run",
    }
    return {"changes": "Itself, unchanged"} | named if changed else named


def run_name(model: str, *, given: bool | None, changed: bool | None) -> str:
    """Say what tells a run from the other one; None and empty text where both are alike."""
    parts = [
        model,
        "" if given is None else "this target is given" if given else "written by the model",
        "" if changed is None else "with the changes" if changed else "without changes",
    ]
    return ", ".join(filter(None, parts))


def say_matched(heads: Sequence[Likeness]) -> Markup:
    """Say how alike the heads of two models are, each beside the one most like it.

    Args:
        heads: With the share of their weight that lies elsewhere, the most alike first.
    """
    if not heads:
        return Markup("No head of one stands for a head of the other.")
    mean = sum(each.moved for each in heads) / len(heads)
    first, last = heads[0], heads[-1]
    told = (
        f"Beside the head of B that is most like it, a head of A still puts {_share(mean)} of its "
        f"weight on other words. Most alike is {_named(first)} ({_share(first.moved)}), least "
        f"{_named(last)} ({_share(last.moved)})."
    )
    return joined([told])


def say_heads(strongest: Sequence[Told]) -> Markup:
    """Say which heads look elsewhere, and at which word.

    Args:
        strongest: Every head with the row that moved most, the head that moved most first.
    """
    if not strongest or strongest[0].bits == 0:
        return Markup("Every head looks where it looked, with the same weights.")
    far = [told for told in strongest if told.bits >= FAR]
    first = strongest[0]
    if not far:
        begin = f"No head looks elsewhere. The one that moved most is {_named(first)}: "
        share = f" it puts {_share(first.moved)} of its weight on other words."
        return joined([begin, _where(first), share])
    if len(far) > _MOST_NAMED:
        begin = f"{_of_all(far, strongest)} heads look elsewhere"
        said = f"{begin}. {_named(first).capitalize()} has moved most, "
        return joined([said, _where(first), "."])
    begin = f"{_of_all(far, strongest)} heads look{'s' if len(far) == 1 else ''} elsewhere: "
    return joined([begin, _few(far), "."])


def say_outputs(
    replaced: Sequence[tuple[str, str]], shared: int, whole: int, *, given: bool
) -> Markup:
    """Say what becomes of the output.

    Args:
        replaced: Words of A and what B has instead; empty text on a side that lacks it.
        shared: Words that both have.
        whole: Words of the longer one.
        given: Whether a target was given, so that not both were written by the model.
    """
    has = "has" if given else "writes"
    if not replaced:
        return Markup("Both {} the same.").format("have" if given else "write")
    if len(replaced) > _MOST_REPLACED:
        are = "is" if shared == 1 else "are"
        return joined([f"Of {whole} words of the output, {shared} {are} the same in both."])
    swapped = [joined([token(a), f" where B {has} ", token(b)]) for a, b in replaced if a and b]
    of_a, of_b = ([token(pair[s]) for pair in replaced if not pair[1 - s]] for s in (0, 1))
    sentences = [
        joined([begin, _listed_markup(parts), "."])
        for begin, parts in (
            (f"A {has} ", swapped),
            (f"Only A {has} ", of_a),
            (f"Only B {has} ", of_b),
        )
        if parts
    ]
    return Markup(" ").join(sentences)


def say_first(stage: StageChange | None, positions: Sequence[str]) -> str:
    """Say where two runs of one model part, and at which positions."""
    if stage is None:
        return "All states are the same to the last bit."
    told = f"The first numbers that differ are those of {stage.name}"
    if len(positions) > _MOST_NAMED:
        return f"{told}, at {len(positions)} positions."
    return f"{told}, at {_listed(positions)}." if positions else f"{told}."


def not_shared(
    languages: tuple[tuple[str, str], tuple[str, str]], layers: tuple[str, str] | None
) -> str:
    """Say why nothing inside two models can be compared."""
    (a, b), (c, d) = languages
    if (a, b) != (c, d):
        return (
            f"One goes from {a} to {b}, the other from {c} to {d}: no word of one stands for a "
            "word of the other, so neither do rows, columns or heads."
        )
    if layers:
        return (
            f"One has {layers[0]}, the other {layers[1]}: no layer of one stands for a layer of "
            "the other, so heads cannot be set beside each other."
        )
    return "They cut their texts into other tokens, so rows and columns are not the same words."


def layer_words(encoder: int, decoder: int, heads: int) -> str:
    """Say how deep a model is."""
    return f"{encoder} + {decoder} layers of {heads} head{'' if heads == 1 else 's'}"


def left_out(*, states: bool, outputs: bool) -> str:
    """Say what of two models is not compared, and why."""
    said = []
    if states:
        said.append("Hidden states are not compared: each training finds coordinates of its own.")
    if outputs:
        said.append(
            "Nor are the probabilities of single tokens: the two models know different words."
        )
    return " ".join(said)


def unknown_in_other(words: Sequence[str]) -> str:
    """Say which words of the other sentence the model cannot know."""
    named = ", ".join(f"“{word[:24]}”" for word in words[:4])
    more = f" and {len(words) - 4} more" if len(words) > 4 else ""
    return f"The model does not know {named}{more}, and reads <unk> instead."


def likelier(own: float, other: float) -> str:
    """Say how much more a run believes in one output than in another.

    Args:
        own: Log-probability that A gives to its own output.
        other: And to that of B.
    """
    if own == other:
        return "A gives both outputs the same probability."
    times = math.exp(min(abs(own - other), _MOST_TIMES))
    often = "more than a million times" if times > 1e6 else f"{fixed(times, 1)} times"
    which = "its own output" if own > other else "the output of B"
    return f"A gives {which} {often} the probability of the other."


def log_probability(value: float) -> str:
    """Write the logarithm of a probability."""
    return f"log p {fixed(value, 2)}"


def step_tokens(tokens: Sequence[tuple[str, float, float]]) -> str:
    """Write the probabilities of tokens in both runs, of those that gained or lost a percent."""
    told = [(t, a, b) for t, a, b in tokens if abs(a - b) >= _LEAST_TOLD]
    return " · ".join(f"{t} {_share(a)} → {_share(b)}" for t, a, b in told) or "–"


def stage_label(name: str) -> str:
    """Name a stage beside a small map: "L0 attention", "L1 output", "embedding"."""
    if "embedding" in name:
        return "embedding"
    layer, _, rest = name.partition("layers.")[2].partition(".")
    if not layer:
        return name
    short = {"after_self_attn": "attention", "after_cross_attn": "cross"}.get(rest, rest)
    return f"L{layer} {short}"


def pair_label(pair: Pair, a: Sequence[str], b: Sequence[str]) -> str:
    """Name a pair of tokens: one word where both are the same."""
    i, j = pair
    ours = a[i] if i is not None else "–"
    theirs = b[j] if j is not None else "–"
    return ours if ours == theirs else f"{ours} | {theirs}"


def matched_said(match: Matches) -> list[list[str]]:
    """List the heads of A with their partners in B, layer by layer."""
    rows = []
    for kind in KINDS:
        for layer, heads in enumerate(match[kind]):
            pairs = (f"{h} → {'–' if o is None else o}" for h, o in enumerate(heads))
            rows.append([f"{kind}, layer {layer}", *pairs])
    return rows


def _few(far: Sequence[Told]) -> Markup:
    """Name a few heads that look elsewhere, together where they are of one layer and one word."""
    first = far[0]
    if len(far) > 1 and len({(told.kind, told.layer, told.word) for told in far}) == 1:
        numbers = _listed([str(number) for number in sorted(told.head for told in far)])
        both = "both" if len(far) == 2 else "all"
        return joined([f"heads {numbers} of {_layer(first)}, {both} ", _where(first)])
    parts = [joined([_named(told), " ", _where(told)]) for told in far]
    return _listed_markup(parts)


def _where(told: Told) -> Markup:
    """Say at which word: one that is read, or one that is being written."""
    at = "writing " if told.writes and told.kind != "encoder self-attention" else "at "
    mark = any(map(str.isalnum, told.word))
    return joined([at, token(told.word) if mark else f"“{told.word}”"])


def _share(share: float) -> str:
    return percent_text(round(share, 2) if share >= _LEAST_TOLD else share)


def _named(told: Told | Likeness) -> str:
    return f"head {told.head} of {_layer(told)}"


def _layer(told: Told | Likeness) -> str:
    if told.kind == "cross-attention":
        return f"the cross-attention in layer {told.layer}"
    return f"{STACKS[told.kind]} layer {told.layer}"


def _of_all(far: Sequence[Told], strongest: Sequence[Told]) -> str:
    if len(far) == len(strongest):
        return f"All {len(far)}"
    few = _NUMBERS[len(far)] if len(far) < len(_NUMBERS) else str(len(far))
    return f"{few} of {len(strongest)}"


def _listed_markup(parts: Sequence[Markup]) -> Markup:
    *first, last = parts
    return joined([Markup(", ").join(first), " and ", last]) if first else last


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
