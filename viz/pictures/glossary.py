"""The words of the field, each explained in a sentence or two where it stands on a page."""

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
"""By group, the keys that `term` takes. What is said of one is true of every model shown here."""

_KEYS = frozenset(key for keys in TERMS.values() for key in keys)


def term(key: str, shown: str = "") -> Markup:
    """Write a term that says what it means when it is pointed at, focused or tapped.

    Args:
        key: One of those in TERMS.
        shown: The words on the page where they are not the term itself, such as a plural.
    """
    if key not in _KEYS:
        every = ", ".join(key for keys in TERMS.values() for key in keys)
        raise ValueError(f"a term must be one of {every}, got {key}")
    return Markup(
        '<span class="loupe-term" role="button" tabindex="0" aria-expanded="false" '
        'data-term="{}">{}</span>'
    ).format(escape(key), escape(shown or _forms(key)[0]))


def explained(text: str) -> Markup:
    """Write a text of our own so that the first mention of each term in it can be asked.

    A term is found by any of its forms, in small letters or with a capital, and with an "s" at its
    end or without; the longest one counts. Tokens, which are `<em>` in Markup, are none.
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
    """List the ways in which a text may write a term, the usual one first."""
    return say_of("glossary.found", key).split("|")


@functools.cache
def _mentions(spoken: Language) -> tuple[dict[str, str], re.Pattern[str]]:
    """Return the key of each form, and what finds a token, a tag or a form in a text's length."""
    with speaking(spoken):
        key_of = {str(escape(form)): key for key in _KEYS for form in _forms(key)}
    longest_first = "|".join(map(re.escape, sorted(key_of, key=len, reverse=True)))
    pattern = rf"<em>[^<]*</em>|<[^>]*>|(?<![\w-])(?P<form>{longest_first})s?(?![\w-])"
    return key_of, re.compile(pattern, re.IGNORECASE)


def show_glossary() -> None:
    """Let the terms on the page answer, and put the list of them all below it. Once for a page."""
    _glossary(key="glossary", data={"terms": wire_terms()})


def wire_terms() -> list[WireTerm]:
    """List all terms in the order of the list."""
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
