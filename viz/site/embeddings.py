"""The words of a model that the site compares, and the colours of their groups.

Their vectors are the weights of the model, which the browser has.
"""

from typing import TypedDict

from viz.run.view import View
from viz.subjects.embeddings.cache import words_of
from viz.subjects.embeddings.figures.marks import looks
from viz.subjects.embeddings.groups import group
from viz.subjects.embeddings.points import Side, vocabulary_sides


class WireSiteWords(TypedDict):
    """The words of one side."""

    groups: str
    """For each id, the index of its group among the names, as a digit; a dash for no word."""
    names: list[str]


class WireSiteEmbeddings(TypedDict):
    """The words of a model, by the side that reads them."""

    words: dict[Side, WireSiteWords]
    looks: dict[str, tuple[str, str]]
    """The colour of each group on a light page and on a dark one."""


def site_embeddings(view: View) -> WireSiteEmbeddings:
    """Pack the parts that do not depend on a sentence."""
    words: dict[Side, WireSiteWords] = {
        side: _words(view, side) for side in vocabulary_sides(view.run.info)
    }
    names = [name for packed in words.values() for name in packed["names"]]
    return {"words": words, "looks": looks(names)}


def _words(view: View, side: Side) -> WireSiteWords:
    known = words_of(view, side)
    ids = known.ids.tolist()
    groups = group(view.run.info, side, known.tokens, ids)
    names = [*dict.fromkeys(groups)]
    digits = dict(zip(ids, map(names.index, groups), strict=True))
    packed = "".join(str(digits.get(at, "-")) for at in range(max(ids) + 1))
    return {"groups": packed, "names": names}
