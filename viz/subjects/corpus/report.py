"""Tables and lists of the Corpus page."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from markupsafe import Markup

from model.checkpoints.metadata import CheckpointInfo
from texts import say, say_of
from viz.corpus.atlas import Pick
from viz.corpus.costs import Cost
from viz.corpus.examples import Band
from viz.corpus.intervals import Estimate
from viz.corpus.tables import HeadName
from viz.heads.head_roles import HeadRole, HeadRoles
from viz.heads.head_table import NO_ROLE
from viz.pictures.html_table import Row, table
from viz.pictures.numbers import fixed, percent_text
from viz.pictures.tokens import escape, joined, token
from viz.subjects.corpus import words
from viz.subjects.corpus.excerpts import excerpt, writes
from viz.subjects.corpus.links import to_head

Link = Callable[[Pick], str]
"""The link of an example."""
_QUERY, _KEY = "\x01", "\x02"
_PLACES = re.compile("([\x01\x02])")


def example_list(found: Sequence[Band], head: HeadName, info: CheckpointInfo, link: Link) -> Markup:
    """List examples by band, each a link to its sentence, head and cell."""
    return joined(_band(band, head, info, link) for band in found if band.examples)


def short_list(found: Sequence[Pick], head: HeadName, info: CheckpointInfo, link: Link) -> Markup:
    """List examples without their bands, for a narrow place."""
    items = joined(_item(example, head, info, link) for example in found)
    return Markup('<ul class="corpus-examples corpus-narrow">{}</ul>').format(items)


def _band(band: Band, head: HeadName, info: CheckpointInfo, link: Link) -> Markup:
    items = (_item(example, head, info, link) for example in band.examples)
    return Markup(
        '<h3 class="corpus-band">{} <small>{}</small></h3><ul class="corpus-examples">{}</ul>'
    ).format(words.band_name(band), words.band_note(band), joined(items))


def _item(example: Pick, head: HeadName, info: CheckpointInfo, link: Link) -> Markup:
    return Markup(
        '<li><a class="corpus-example" href="{}"><span class="corpus-reads">{}</span> '
        '<span class="corpus-value">{}</span> <span class="corpus-text">{}</span></a></li>'
    ).format(
        link(example),
        _reads(head, example),
        percent_text(round(example.weight, 2)),
        excerpt(info, head, example),
    )


def _reads(head: HeadName, example: Pick) -> Markup:
    """Describe which token reads which, with both marked in place of stand-ins."""
    said = words.example_words(_QUERY, _KEY, writes=writes(head, example))
    shown = {_QUERY: token(example.query_token), _KEY: token(example.key_token)}
    return joined(shown.get(part, escape(part)) for part in _PLACES.split(said))


def roles_table(
    heads: Sequence[HeadName],
    roles: HeadRoles,
    kept: Mapping[str, str | list[str]],
    chosen: HeadName,
) -> Markup:
    """List every head with its jobs, each a link to it."""
    header = (
        say("corpus.column_head"),
        say("corpus.column_job"),
        say("corpus.column_rate"),
        say("corpus.column_cases"),
        say("corpus.column_chance"),
    )
    rows = (
        Row([link, *cells], "loupe-chosen" if head == chosen else "")
        for head in heads
        for link, cells in zip_longest(
            [_link(head, kept)],
            _of_jobs(roles.heads[head.kind][head.layer][head.head]),
            fillvalue="",
        )
    )
    return table(header, rows, numeric=(2, 3, 4))


def costs_table(
    found: Sequence[Cost], kept: Mapping[str, str | list[str]], chosen: HeadName
) -> Markup:
    """List the loss without each head, each a link to it."""
    header = (
        say("corpus.column_head"),
        say("corpus.column_lost"),
        say("corpus.column_range"),
        say("corpus.column_right"),
        say("corpus.column_range"),
        say("corpus.column_broken"),
    )
    rows = (
        Row(
            [
                _link(cost.head, kept),
                fixed(cost.loss.value, 3),
                _range(cost.loss, lambda value: fixed(value, 3)),
                percent_text(cost.right.value),
                _range(cost.right, percent_text),
                say("corpus.broken", broken=cost.broken, fixed=cost.mended),
            ],
            "loupe-chosen" if cost.head == chosen else "",
        )
        for cost in found
    )
    return table(header, rows, numeric=(1, 2, 3, 4))


def _of_jobs(found: Sequence[HeadRole]) -> list[list[str]]:
    """Write the findings on each job of a head, a row for each; one for none."""
    if not found:
        return [[say_of("job.words", NO_ROLE), "", "", ""]]
    return [
        [
            role.job.words,
            percent_text(role.rate),
            say("corpus.cases", rows=role.rows),
            percent_text(role.chance),
        ]
        for role in found
    ]


def _range(estimate: Estimate, text: Callable[[float], str]) -> str:
    if not math.isfinite(estimate.low) or not math.isfinite(estimate.high):
        return ""
    return f"{text(estimate.low)} – {text(estimate.high)}"


def _link(head: HeadName, kept: Mapping[str, str | list[str]]) -> Markup:
    return Markup('<a href="{}">{}</a>').format(to_head(kept, head), words.short_name(head))
