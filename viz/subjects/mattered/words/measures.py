"""What the measures of what mattered are called, what each says, and what that is worth."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from model.logit_attribution import Addend
from model.measures import Measure
from sample_data.agreement import POSITION, Agreement, Agreements
from viz.pictures.numbers import difference_text, fixed, number_text
from viz.pictures.tokens import markdown, token
from viz.subjects.mattered.row_measures import LONGEST, RunAgain
from viz.subjects.mattered.row_parts import Lead

_MOST_NAMED = 2
_MOST_LISTED = 3
_CLOSE_ENOUGH = 0.02
"""Of a sum: what integrated gradients may miss."""
_ROUNDING = 1e-4
_CLEARLY = 0.1
"""A share that is lower by this much is worth a sentence."""

LOOKS, BRINGS, ANSWERS, WITHOUT = (
    "Where attention looks",
    "What attention brings",
    "How the output would answer to a change",
    "What is lost without the word",
)


class Explained(NamedTuple):
    """A measure in words."""

    group: str
    label: str
    what: str
    formula: str
    origin: str


EXPLAINED: Mapping[Measure, Explained] = {
    "head": Explained(
        LOOKS,
        "One head",
        "The weights of a single head of cross-attention.",
        "A",
        "Vaswani et al. 2017, section 3.2.1",
    ),
    "attention": Explained(
        LOOKS,
        "Last layer, mean of its heads",
        "The weights of the last layer's cross-attention, averaged over its heads.",
        "Ā = mean over heads of A",
        "Vaswani et al. 2017, section 3.2.2",
    ),
    "rollout": Explained(
        LOOKS,
        "Rollout: along all paths",
        "Attention multiplied through all layers, where half of each row stays what it was.",
        "R = product over layers of (½ Ā + ½ I)",
        "Abnar & Zuidema 2020, carried across from the encoder to the decoder",
    ),
    "values": Explained(
        BRINGS,
        "Weight × length of the value",
        "A large weight on a short vector brings little.",
        "mean over heads of ‖α v‖",
        "Kobayashi et al. 2020, without the output projection",
    ),
    "vectors": Explained(
        BRINGS,
        "Length of what arrives",
        "The length of the vector that all heads together bring from this word.",
        "‖Σ over heads of α f(x)‖, f(x) = (x W^V + b^V) W^O",
        "Kobayashi et al. 2020",
    ),
    "shares": Explained(
        BRINGS,
        "… after residual and norm",
        "The same length behind the norm, as a share of all that is mixed there, "
        "the residual connection included.",
        "‖L(α f(x))‖ / Σ ‖L(·)‖, L the norm with its scale held",
        "Kobayashi et al. 2021",
    ),
    "norm rollout": Explained(
        BRINGS,
        "… along all paths",
        "Those shares multiplied through all layers, as rollout multiplies weights.",
        "R = product over layers of the shares",
        "Kobayashi et al. 2021, multiplied as in Abnar & Zuidema 2020",
    ),
    "direct": Explained(
        BRINGS,
        "What it adds to the logit",
        "What the last cross-attention brings from this word, read off directly at the output.",
        "L(Σ α f(x)) · (W[y] − mean of W)",
        "Elhage et al. 2021, direct logit attribution",
    ),
    "gradient": Explained(
        ANSWERS,
        "Gradient × input",
        "How the log-probability answers to making the word's embedding a little larger.",
        "x · ∂ log p(y) / ∂x",
        "Denil et al. 2014; Shrikumar et al. 2016",
    ),
    "linear": Explained(
        ANSWERS,
        "… in the linear model",
        "The same with the attention weights and the scales of the norms held: "
        "the model is then linear, and the number exact.",
        "x · ∂ (logit of y − mean logit) / ∂x, weights and scales constant",
        "Ali et al. 2022",
    ),
    "integrated": Explained(
        ANSWERS,
        "Integrated gradients",
        "The gradient averaged on the way from empty embeddings to this sentence. "
        "All words together make up the whole difference.",
        "x · mean over a of ∂ log p(y) / ∂x at a·x, a from 0 to 1",
        "Sundararajan et al. 2017",
    ),
    "hidden": Explained(
        WITHOUT,
        "Hidden",
        "The log-probability lost when no row may read the word, as padding is masked.",
        "log p(y | x) − log p(y | x with the word masked)",
        "Zeiler & Fergus 2014, occlusion",
    ),
    "deleted": Explained(
        WITHOUT,
        "Deleted",
        "The log-probability lost when the word is left out and the others move up.",
        "log p(y | x) − log p(y | x without the word)",
        "Li et al. 2016, erasure",
    ),
    "unknown": Explained(
        WITHOUT,
        "Replaced by <unk>",
        "The log-probability lost when an unknown word stands there.",
        "log p(y | x) − log p(y | x with <unk>)",
        "Zeiler & Fergus 2014, occlusion",
    ),
    "swapped": Explained(
        WITHOUT,
        "Swapped for words of its kind",
        "The log-probability lost when another word of the same part of speech stands there: "
        "the mean of up to four. The sentence stays one that the model could have seen.",
        "log p(y | x) − mean of log p(y | x with another word)",
        "Kim et al. 2020, input marginalization, here within the part of speech",
    ),
}


SWAP_HEADING, GOLD_HEADING = "finds the costliest swap", "finds the gold word"
PICTURE = (
    "Each row is drawn to its own scale, and its largest number is filled. "
    "Click a measure for its formula and where it is from."
)
RUNNING = "Running the model again without each word"
TOO_LONG = "Gradients and leaving words out are not computed here"
MEASURES_FOLD = "Which source word mattered for one token: attention beside other measures"
WORTH = "How far each of these can be trusted"
LEAD_FOLD = "Why this token and not another: what adds to its logit, part by part"
NO_RIVAL = "The vocabulary has no other token to compare with."
PART, ADDS, SUM = "Part of the decoder", "adds", "All together"
LEAD_NOTE = (
    "Each part of the decoder writes a vector, and the logit is the sum of what these vectors add "
    "to it, with the scale of every norm held at what it was. It says what adds to the logit "
    "directly, not what caused it: a feed-forward network may only amplify what a head brought."
)


def label_of(measure: Measure, head: tuple[int, int] | None = None) -> str:
    """Name a measure; that of one head with the head."""
    label = EXPLAINED[measure].label
    return f"{label}: L{head[0]} H{head[1]}" if measure == "head" and head else label


def heading(written: str) -> Markup:
    """Ask about one token."""
    return Markup("Which word mattered for {}?").format(token(written))


def verdict(
    written: str,
    source: Sequence[str],
    firsts: Mapping[Measure, int | None],
    *,
    elsewhere: bool = False,
) -> Markup:
    """Say where the measures agree on what mattered, and who puts another word first.

    With `elsewhere`, say too that attention does not look at the word whose swap costs most.
    """
    counts = Counter(place for place in firsts.values() if place is not None)
    if not counts:
        return Markup("Nothing in the source speaks for {}.").format(token(written))
    (first, most), *others = counts.most_common()
    agree = "all" if most == len(firsts) else f"{most} of"
    said = [
        Markup("For {}, {} {} measures put {} first.").format(
            token(written), agree, len(firsts), token(source[first])
        )
    ]
    said += [
        _dissent(token(source[place]), [name for name, at in firsts.items() if at == place])
        for place, _ in others[:_MOST_NAMED]
    ]
    looked, swapped = firsts.get("attention"), firsts.get("swapped")
    if elsewhere and looked is not None and swapped is not None:
        said.append(
            Markup(
                "The last layer looks most at {}, but the swap that costs most is that of {}: "
                "where the model looks is not always what decides."
            ).format(token(source[looked]), token(source[swapped]))
        )
    return Markup(" ").join(said)


def _dissent(word: Markup, names: Sequence[Measure]) -> Markup:
    """Say which measures put another word first, or how many do."""
    if len(names) > _MOST_LISTED:
        return Markup("{} others put {} first.").format(len(names), word)
    listed = _listed([_IN_SENTENCES[name] for name in names])
    verb = "put" if len(names) > 1 or names[0] == "integrated" else "puts"
    return Markup("{} {} {} first.").format(f"{listed[0].upper()}{listed[1:]}", verb, word)


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def worth(found: Agreements) -> list[str]:
    """Say how far the measures agree with swapping words and with the gold alignment."""
    return [
        text
        for text in (
            _compared(found),
            _order(found),
            _below(found),
            _walks(found),
            _integration(found),
        )
        if text
    ]


def agreement_text(share: float | None) -> str:
    """Write how often a measure agrees, in whole percents: the sentences are too few for more."""
    return "" if share is None else f"{round(100 * share)} %"


def is_below(one: Agreement, found: Agreements) -> bool:
    """Tell whether a measure finds the costliest swap less often than the rule of positions."""
    rule = found.measures[POSITION]
    return one.swap is not None and rule.swap is not None and one.swap < rule.swap


def completeness(found: RunAgain) -> tuple[bool, str, str]:
    """Say how far integrated gradients are from the sum that they should have."""
    said = (
        f"integrated gradients sum to {number_text(found.difference)} nats, "
        f"as they should, with {found.steps} steps"
    )
    close = abs(found.error) <= _CLOSE_ENOUGH * max(1.0, abs(found.difference))
    return close, said, f"± {difference_text(abs(found.error))}"


def too_long(source: int, target: int) -> str:
    """Say why the model is not run again, and what would work."""
    return (
        f"They run the model again for each word, and are computed for texts of up to {LONGEST} "
        f"tokens. This source has {source}, the target {target}: a shorter sentence has them."
    )


def _compared(found: Agreements) -> str:
    attention, rule = found.measures["attention"], found.measures[POSITION]
    rivals = {n: one for n, one in found.measures.items() if n in EXPLAINED and n != "swapped"}
    if attention.swap is None or rule.swap is None:
        return ""
    best = max(rivals, key=lambda name: rivals[name].swap or 0)
    best_share = rivals[best].swap or 0
    error = math.sqrt(attention.swap * (1 - attention.swap) / found.swap_rows)
    rest = (
        "and no other measure finds it more often"
        if best == "attention"
        else f"the best of the others ({_named(best)}) in {agreement_text(best_share)}"
    )
    return (
        f"Which word matters most: in {found.swap_rows} rows of {found.sentences} held-out "
        f"sentences, the last layer's attention points at the word whose swap costs most in "
        f"{agreement_text(attention.swap)}, {rest}, and a rule that knows nothing but positions "
        f"in {agreement_text(rule.swap)}. Differences below {_points(2 * error)} mean nothing."
    )


def _order(found: Agreements) -> str:
    inner = {
        name: one.rank
        for name, explained in EXPLAINED.items()
        if explained.group != WITHOUT
        and (one := found.measures.get(name)) is not None
        and one.rank is not None
    }
    attention = inner.get("attention")
    if attention is None:
        return ""
    highest = max(inner.values())
    return (
        "How much the other words matter is another question: the order in which attention puts "
        f"the words of a sentence correlates with what swapping them costs by only "
        f"{fixed(attention, 2)}, and no look inside the model does better than "
        f"{fixed(highest, 2)} (1 would be the same order)."
    )


def _below(found: Agreements) -> str:
    low = [n for n, one in found.measures.items() if n in EXPLAINED and is_below(one, found)]
    if not low:
        return ""
    named = ", ".join(f"{_named(n)} ({agreement_text(found.measures[n].swap)})" for n in low)
    linear = found.measures.get("linear")
    held = ""
    if "gradient" in low and linear and linear.swap is not None and "linear" not in low:
        held = (
            " Across a saturated softmax and a norm the gradient says little; with both held, "
            f"the same formula reaches {agreement_text(linear.swap)}."
        )
    return f"Worse than the rule of positions: {named}.{held}"


def _walks(found: Agreements) -> str:
    plain = found.measures["attention"].gold
    names = [n for n in ("rollout", "norm rollout") if n in found.measures]
    if plain is None:
        return ""
    low = {n: g for n in names if (g := found.measures[n].gold) is not None}
    low = {name: gold for name, gold in low.items() if gold < plain - _CLEARLY}
    if not low:
        return ""
    named = " and ".join(f"{_named(n)} {agreement_text(g)}" for n, g in low.items())
    return (
        "Along all paths, numbers measure how states are mixed rather than what is used: of the "
        f"gold words, the plain last layer finds {agreement_text(plain)}, {named}."
    )


def _integration(found: Agreements) -> str:
    return (
        f"Integrated gradients with {found.steps} steps miss their sum by "
        f"{fixed(found.mean_error, 2)} nats on average, and by {fixed(found.largest_error, 1)} in "
        "the worst row. On this page the steps are doubled until the sum is close."
    )


def _named(measure: str) -> str:
    """Name a measure within a sentence."""
    return _IN_SENTENCES[measure]


def _points(share: float) -> str:
    points = max(1, math.ceil(100 * share))
    return "1 point" if points == 1 else f"{points} points"


_IN_SENTENCES: Mapping[str, str] = {
    "head": "the head that aligns best",
    "attention": "the last layer's attention",
    "rollout": "rollout",
    "values": "weight × length of the value",
    "vectors": "the length of what arrives",
    "shares": "the length after residual and norm",
    "norm rollout": "that length along all paths",
    "direct": "what it adds to the logit",
    "gradient": "gradient × input",
    "linear": "gradient × input in the linear model",
    "integrated": "integrated gradients",
    "hidden": "hiding the word",
    "deleted": "deleting the word",
    "unknown": "putting <unk> in its place",
    "swapped": "swapping the word",
}


_PARTS = {
    "token": "Embedding of the token before",
    "position": "Its position",
    "self-attention": "Decoder self-attention",
    "cross-attention": "Cross-attention",
    "feed-forward": "Feed-forward network",
    "norm bias": "Bias of the norm",
    "edit": "A change of yours",
    "output bias": "Output bias",
}
_BEHIND = {
    "self_attn_norm": "behind self-attention",
    "cross_attn_norm": "behind cross-attention",
    "feed_forward_norm": "behind feed-forward",
    "norm": "at the end",
}


def part_label(part: Addend) -> str:
    """Name a part of the decoder."""
    label = _PARTS[part.kind]
    if part.name == "target_embedding.norm.bias":
        return f"{label} behind the embedding"
    if part.kind == "norm bias":
        label = f"{label} {_BEHIND[part.name.rpartition('.')[0].rpartition('.')[2]]}"
    if part.layer is None:
        return label
    if part.kind in ("self-attention", "cross-attention"):
        own = f"H{part.head}" if part.head is not None else "bias"
        return f"{label}, L{part.layer} {own}"
    return f"{label}, L{part.layer}"


def rival_label(written: str) -> str:
    """Ask for the token that is compared with the one written."""
    return f"Why {markdown(written)} rather than"


def rest_label(count: int) -> str:
    """Name those that are too small to be shown."""
    return "1 smaller part" if count == 1 else f"{count} smaller parts together"


def lead_answer(found: Lead) -> Markup:
    """Say which part adds most to a lead, and what the last cross-attention adds."""
    if not found.shown:
        return Markup("Nothing tells {} and {} apart.").format(
            token(found.token), token(found.other)
        )
    largest = max(found.shown, key=lambda part: part.value)
    if not found.has_across:
        return Markup(
            "{} leads {} by {}. The part that adds most to this directly is {}: {}."
        ).format(
            token(found.token),
            token(found.other),
            number_text(found.lead),
            _begun_small(part_label(largest)),
            number_text(largest.value),
        )
    return Markup(
        "{} leads {} by {}. The part that adds most to this directly is {}: {}. All heads of "
        "cross-attention together add {}, though what the source says can only come through them."
    ).format(
        token(found.token),
        token(found.other),
        number_text(found.lead),
        _begun_small(part_label(largest)),
        number_text(largest.value),
        number_text(found.across),
    )


def sum_check(found: Lead) -> tuple[bool, str, str]:
    """Say that the parts sum to the difference of the logits."""
    said = f"the parts sum to the difference of the logits, {number_text(found.lead)}"
    return abs(found.error) < _ROUNDING, said, f"± {difference_text(abs(found.error))}"


def _begun_small(label: str) -> str:
    return f"the {label[0].lower()}{label[1:]}"
