"""Tables and lists of the page on the corpus."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from markupsafe import Markup

from texts import say, say_of
from viz.corpus.atlas import Pick
from viz.corpus.costs import Cost
from viz.corpus.examples import Band
from viz.corpus.intervals import Estimate
from viz.corpus.tables import HeadName
from viz.pictures.html_table import Row, table
from viz.pictures.numbers import fixed, percent_text
from viz.pictures.tokens import escape, joined, token
from viz.run.head_roles import HeadRole, HeadRoles
from viz.run.head_summary import NO_ROLE
from viz.subjects.corpus import words
from viz.subjects.corpus.links import to_head, to_sentence

_QUERY, _KEY = "\x01", "\x02"
_PLACES = re.compile("([\x01\x02])")


def example_list(
    found: Sequence[Band], head: HeadName, *, checkpoint: str, language: str
) -> Markup:
    """List examples by band; each is a link to its sentence, head and cell."""
    return joined(_band(band, head, checkpoint, language) for band in found)


def short_list(found: Sequence[Pick], head: HeadName, *, checkpoint: str, language: str) -> Markup:
    """List examples without their bands, for a narrow place."""
    items = joined(_item(example, head, checkpoint, language) for example in found)
    return Markup('<ul class="corpus-examples corpus-narrow">{}</ul>').format(items)


def _band(band: Band, head: HeadName, checkpoint: str, language: str) -> Markup:
    items = (_item(example, head, checkpoint, language) for example in band.examples)
    return Markup(
        '<h3 class="corpus-band">{} <small>{}</small></h3><ul class="corpus-examples">{}</ul>'
    ).format(words.band_name(band), words.band_note(band), joined(items))


def _item(example: Pick, head: HeadName, checkpoint: str, language: str) -> Markup:
    return Markup(
        '<li><a class="corpus-example" href="{}"><span class="corpus-reads">{}</span> '
        '<span class="corpus-value">{}</span> <span class="corpus-text">{}</span></a></li>'
    ).format(
        to_sentence(checkpoint, head, example, language),
        _reads(head, example),
        percent_text(round(example.weight, 2)),
        _text(head, example),
    )


def _reads(head: HeadName, example: Pick) -> Markup:
    """Describe what reads what, the two tokens set apart; signs stand in for them meanwhile."""
    said = words.example_words(_QUERY, _KEY, writes=_writes(head, example))
    shown = {_QUERY: token(example.query_token), _KEY: token(example.key_token)}
    return joined(shown.get(part, escape(part)) for part in _PLACES.split(said))


def _writes(head: HeadName, example: Pick) -> bool:
    """Return whether the row writes a token: of a model of one text each reads its own."""
    return bool(example.target) and head.kind != "encoder self-attention"


def _text(head: HeadName, example: Pick) -> Markup:
    """Show the text that is read, and of the decoder what it writes, with the places marked."""
    source, target = example.source.split(" "), example.target.split(" ")
    query = (example.query, "corpus-query", example.query_token)
    key = (example.key, "corpus-key", example.key_token)
    if not _writes(head, example):
        return _marked(source, query, key)
    if head.kind == "decoder self-attention":
        return _marked(target, query, (key[0] - 1, *key[1:]))
    return _marked(source, key) + Markup(" → ") + _marked(target, query)


def _marked(parts: Sequence[str], *marks: tuple[int, str, str]) -> Markup:
    """Join words, those in bold that are tokens: others are of parts of words."""
    names = {place: name for place, name, token in marks if parts[place : place + 1] == [token]}
    shown = (
        Markup('<b class="{}">{}</b>').format(names[place], escape(part))
        if place in names
        else escape(part)
        for place, part in enumerate(parts)
    )
    return Markup(" ").join(shown)


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
    return table(header, rows, numeric=(2, 3))


def costs_table(
    found: Sequence[Cost], kept: Mapping[str, str | list[str]], chosen: HeadName
) -> Markup:
    """List what cutting each head costs, each a link to it."""
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
                say("corpus.broken", broken=cost.broken, mended=cost.mended),
            ],
            "loupe-chosen" if cost.head == chosen else "",
        )
        for cost in found
    )
    return table(header, rows, numeric=(1, 2, 3, 4))


def _of_jobs(found: Sequence[HeadRole]) -> list[list[str]]:
    """Write what is known of each job of a head, a row for each; one for none."""
    if not found:
        return [[say_of("job.words", NO_ROLE), "", ""]]
    return [[role.job.words, percent_text(role.rate), percent_text(role.chance)] for role in found]


def _range(estimate: Estimate, text: Callable[[float], str]) -> str:
    if not math.isfinite(estimate.low) or not math.isfinite(estimate.high):
        return ""
    return f"{text(estimate.low)} – {text(estimate.high)}"


def _link(head: HeadName, kept: Mapping[str, str | list[str]]) -> Markup:
    return Markup('<a href="{}">{}</a>').format(to_head(kept, head), words.short_name(head))
