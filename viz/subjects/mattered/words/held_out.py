"""What is said of cuts over many sentences."""

from collections.abc import Sequence

from model.attribution.cuts import Part
from sample_data.atlas_record import Atlas, CutScore, PairScore
from texts import say
from viz.pictures.numbers import fixed, percent_text
from viz.subjects.mattered.part_names import head_short, heads_name, part_name

LEAST_FALL = 0.01
"""Of the sentences, that are no longer right, for a part to count as needed."""
MUCH = 0.1
"""Of the sentences, that are no longer right, for a part to stand out."""
LEAST_INTERACTION = 0.05
"""Nats from which on two heads are said to stand in for each other."""


def cut_words(cut: CutScore, atlas: Atlas) -> str:
    """State what is right without a part."""
    return say(
        "mattered.right_without",
        right=percent_text(cut.exact),
        usual=percent_text(atlas.exact),
        loss=fixed(atlas.loss, 2),
        loss_without=fixed(cut.loss, 2),
    )


def summary(atlas: Atlas, cuts: Sequence[CutScore]) -> str:
    """State over how many sentences, how many heads can be missed, and which is needed most."""
    heads = [cut for cut in cuts if cut.head is not None]
    free = [cut for cut in heads if atlas.exact - cut.exact < LEAST_FALL]
    worst = min(heads, key=lambda cut: cut.exact)
    return say(
        "mattered.summary",
        sentences=atlas.sentences,
        right=percent_text(atlas.exact),
        heads=_spared(len(free), len(heads)),
        worst=part_name(Part(worst.sublayer, worst.head)),
        worst_right=percent_text(worst.exact),
    )


def _spared(free: int, heads: int) -> str:
    share = percent_text(LEAST_FALL)
    if not free:
        return say("mattered.none_spared", heads=heads, share=share)
    return say("mattered.spared", count=free, heads=heads, share=share)


def hurting(atlas: Atlas, cuts: Sequence[CutScore]) -> str:
    """State which part does harm; nothing where none does."""
    better = [cut for cut in cuts if cut.exact > atlas.exact and cut.loss < atlas.loss]
    if not better:
        return ""
    best = max(better, key=lambda cut: (cut.exact, -cut.loss))
    return say(
        "mattered.harm",
        part=part_name(Part(best.sublayer, best.head)),
        right=percent_text(best.exact),
        usual=percent_text(atlas.exact),
    )


def backup(atlas: Atlas) -> str:
    """State which two heads stand in for each other; that none do where there are none."""
    strongest = atlas.pairs[0] if atlas.pairs else None
    if strongest is None or strongest.interaction < LEAST_INTERACTION:
        return say("mattered.backup_none")
    return say(
        "mattered.backup_pair",
        pair=heads_name(*_parts(strongest)),
        first=fixed(strongest.first_alone, 2),
        second=fixed(strongest.second_alone, 2),
        together=fixed(strongest.together, 2),
        more=fixed(strongest.interaction, 2),
    )


def pair_short(pair: PairScore) -> str:
    """Name two heads in the first column of a table."""
    first, second = _parts(pair)
    if first.sublayer == second.sublayer:
        return say("mattered.pair_layer", first=head_short(first), second=second.head)
    return say("mattered.pair_two", first=head_short(first), second=head_short(second))


def how_measured(atlas: Atlas) -> str:
    """State over what the averages and the pairs were taken."""
    return say("mattered.how_measured", means=atlas.mean_sentences, pairs=atlas.pair_sentences)


def _parts(pair: PairScore) -> tuple[Part, Part]:
    return Part(*pair.first), Part(*pair.second)
