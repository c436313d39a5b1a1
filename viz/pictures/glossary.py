"""The glossary: technical terms, each explained in a sentence or two where a page uses it."""

import functools
import re
from typing import TypedDict

from markupsafe import Markup

from texts import Language, language, say_of, speaking
from viz.pictures.component import picture
from viz.pictures.tokens import escape

_glossary = picture("glossary", "pictures/browser/glossary.js")


class WireTerm(TypedDict):
    """A term as the browser reads it."""

    key: str
    group: str
    name: str
    text: str


TERMS: dict[str, tuple[str, ...]] = {
    "attention": (
        "attention",
        "self-attention",
        "cross-attention",
        "query",
        "key",
        "value",
        "score",
        "weight",
        "softmax",
        "head",
        "multi-head attention",
        "induction head",
        "d_k",
    ),
    "model": (
        "token",
        "embedding",
        "positional encoding",
        "encoder",
        "decoder",
        "layer",
        "residual",
        "residual stream",
        "norm",
        "feed-forward",
    ),
    "masks": (
        "mask",
        "causal",
        "padding",
    ),
    "writing": (
        "logit",
        "log p",
        "greedy",
        "beam",
        "sampling",
        "temperature",
        "top-k",
        "top-p",
        "teacher forcing",
        "gold",
    ),
    "measures": (
        "entropy",
        "loss",
        "nat",
        "cosine",
    ),
    "methods": (
        "ablation",
        "activation patching",
        "logit attribution",
        "logit lens",
    ),
}
"""The keys of `term`, by group. Each explanation is true for every model shown here."""

_KEYS = frozenset(key for keys in TERMS.values() for key in keys)


def term(key: str, shown: str = "") -> Markup:
    """Write a term that shows its meaning when it is hovered, focused or tapped.

    Args:
        key: A key in TERMS.
        shown: The words on the page if they differ from the term, such as a plural.
    """
    if key not in _KEYS:
        every = ", ".join(key for keys in TERMS.values() for key in keys)
        raise ValueError(f"a term must be one of {every}, got {key}")
    return Markup(
        '<span class="loupe-term" role="button" tabindex="0" aria-expanded="false" '
        'data-term="{}">{}</span>'
    ).format(escape(key), escape(shown or _forms(key)[0]))


def explained(text: str) -> Markup:
    """Write a text of Loupe's own with an explanation at the first mention of each term in it.

    A term is found in any of its forms, with or without a capital and a final "s"; the longest form
    wins. Tokens, which are `<em>` in Markup, are not terms.
    """
    safe = escape(text)
    key_of, mention = _mentions(language())
    parts: list[Markup] = []
    seen: set[str] = set()
    position = 0
    for found in mention.finditer(safe):
        key = key_of.get((found["form"] or "").casefold())
        if key and key not in seen:
            seen.add(key)
            start, end = found.span()
            parts += [safe[position:start], term(key, safe[start:end])]
            position = end
    return Markup().join([*parts, safe[position:]])


def _forms(key: str) -> list[str]:
    """Return the forms in which a text may write a term, the usual one first."""
    return say_of("glossary.found", key).split("|")


@functools.cache
def _mentions(spoken: Language) -> tuple[dict[str, str], re.Pattern[str]]:
    """Return the key of each form, and a pattern that finds tokens, tags and forms in a text."""
    with speaking(spoken):
        key_of = {str(escape(form)): key for key in _KEYS for form in _forms(key)}
    longest_first = "|".join(map(re.escape, sorted(key_of, key=len, reverse=True)))
    pattern = rf"<em>[^<]*</em>|<[^>]*>|(?<![\w-])(?P<form>{longest_first})s?(?![\w-])"
    return key_of, re.compile(pattern, re.IGNORECASE)


def show_glossary() -> None:
    """Explain the terms on the page, and list them all below it. Call this once per page."""
    _glossary(key="glossary", data={"terms": wire_terms()})


def wire_terms() -> list[WireTerm]:
    """Return all terms in the order of the list."""
    return [
        {
            "key": key,
            "group": say_of("glossary.group", group),
            "name": _forms(key)[0],
            "text": say_of("glossary.text", key),
        }
        for group, keys in TERMS.items()
        for key in keys
    ]
