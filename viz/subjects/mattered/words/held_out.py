"""What is said of cuts over many sentences."""

from collections.abc import Sequence

from model.ablation import Part
from sample_data.atlas_record import Atlas, CutScore, PairScore
from viz.pictures.numbers import fixed, percent_text
from viz.subjects.mattered.naming import kind_of, layer_of, part_name, place_name

LEAST_FALL = 0.01
"""Of the sentences, that are no longer right, for a part to count as needed."""
MUCH = 0.1
"""Of the sentences, that are no longer right, for a part to stand out."""
LEAST_INTERACTION = 0.05
"""Nats from which on two heads are said to stand in for each other."""


def cut_words(cut: CutScore, atlas: Atlas) -> str:
    """State what is right without a part."""
    return (
        f"right {percent_text(cut.exact)} instead of {percent_text(atlas.exact)}, loss "
        f"{fixed(atlas.loss, 2)} → {fixed(cut.loss, 2)}"
    )


def summary(atlas: Atlas, cuts: Sequence[CutScore]) -> str:
    """Say over how many sentences, how many heads can be missed, and which is needed most."""
    heads = [cut for cut in cuts if cut.head is not None]
    free = [cut for cut in heads if atlas.exact - cut.exact < LEAST_FALL]
    worst = min(heads, key=lambda cut: cut.exact)
    return (
        f"Of {atlas.sentences} held-out sentences, {percent_text(atlas.exact)} are right to the "
        f"last token. {_missed(len(free), len(heads))} Without "
        f"{part_name(Part(worst.sublayer, worst.head))} only {percent_text(worst.exact)} are right."
    )


def _missed(free: int, heads: int) -> str:
    share = percent_text(LEAST_FALL)
    if not free:
        return f"Without any one of the {heads} heads, at least {share} more go wrong."
    return (
        f"{free} of the {heads} heads can be cut, one at a time, and fewer than {share} more go "
        "wrong."
    )


def hurting(atlas: Atlas, cuts: Sequence[CutScore]) -> str:
    """Say which part does harm; nothing where none does."""
    better = [cut for cut in cuts if cut.exact > atlas.exact and cut.loss < atlas.loss]
    if not better:
        return ""
    best = max(better, key=lambda cut: (cut.exact, -cut.loss))
    return (
        f"Some parts do harm: without {part_name(Part(best.sublayer, best.head))}, "
        f"{percent_text(best.exact)} are right instead of {percent_text(atlas.exact)}, and the "
        "loss falls too."
    )


def backup(atlas: Atlas) -> str:
    """Say which two heads stand in for each other; that none do where there are none."""
    strongest = atlas.pairs[0] if atlas.pairs else None
    if strongest is None or strongest.interaction < LEAST_INTERACTION:
        return "No two heads stand in for each other: any two cost about what each costs alone."
    return (
        f"Heads stand in for each other: {pair_name(strongest)} cost "
        f"{fixed(strongest.first_alone, 2)} and {fixed(strongest.second_alone, 2)} nats alone, but "
        f"{fixed(strongest.together, 2)} together, {fixed(strongest.interaction, 2)} more than the "
        "sum. So a single cut understates both."
    )


def pair_name(pair: PairScore) -> str:
    """Name two heads."""
    first, second = (Part(*name) for name in (pair.first, pair.second))
    if first.sublayer == second.sublayer:
        return f"heads {first.head} and {second.head} of the {place_name(first)}"
    return f"{part_name(first)} and {part_name(second)}"


def pair_short(pair: PairScore) -> str:
    """Name two heads in the first column of a table."""
    first, second = (Part(*name) for name in (pair.first, pair.second))
    if first.sublayer == second.sublayer:
        return f"{_short(first)} + H{second.head}"
    return f"{_short(first)} + {_short(second)}"


def _short(part: Part) -> str:
    return f"{kind_of(part)} L{layer_of(part)} H{part.head}"


def how_measured(atlas: Atlas) -> str:
    """State over what the averages and the pairs were taken."""
    return (
        f"Averages are over {atlas.mean_sentences} other held-out sentences. Pairs: both heads "
        f"replaced by their averages, over {atlas.pair_sentences} sentences."
    )
