"""What was measured over many sentences, as a table of HTML."""

from collections.abc import Sequence

from markupsafe import Markup

from sample_data.atlas_record import Atlas
from texts import say
from viz.pictures.html_table import table
from viz.pictures.numbers import fixed
from viz.subjects.mattered.words.held_out import LEAST_INTERACTION, pair_short

_SHOWN = 6


def pairs_table(atlas: Atlas) -> Markup:
    """List the heads that stand in for each other, with what each and both cost."""
    pairs = [pair for pair in atlas.pairs[:_SHOWN] if pair.interaction >= LEAST_INTERACTION]
    if not pairs:
        return Markup()
    rows = [
        [
            pair_short(pair),
            fixed(pair.first_alone, 2),
            fixed(pair.second_alone, 2),
            fixed(pair.together, 2),
            fixed(pair.interaction, 2),
        ]
        for pair in pairs
    ]
    header = (
        say("mattered.pairs_both"),
        say("mattered.pairs_first"),
        say("mattered.pairs_second"),
        say("mattered.pairs_together"),
        say("mattered.pairs_more"),
    )
    return table(header, rows, numeric=range(1, 5), least_width=34)


def listed(sentences: Sequence[Markup]) -> Markup:
    """Put sentences below each other, in their order."""
    items = Markup().join(Markup("<li>{}</li>").format(each) for each in sentences)
    return Markup('<ol class="mattered-said-list">{}</ol>').format(items)
