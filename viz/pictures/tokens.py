"""Text and tokens as HTML. Everything that someone typed is escaped here, and only here."""

import html
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from model.text.unknown import UnknownWord
from texts import say, say_of

_Stretch = tuple[int, int, Markup, Markup]
"""Start and end of a part of a text, and what is put before and after it."""

_FITS = 60
"""The characters of a sentence that a phone shows without scrolling."""
_LONGEST_SHOWN = 400
_KEPT = "\n\u00a0\u202f\u200c\u200d"
"""Line ends, fixed spaces, and the joiners within emoji and in the words of some scripts."""


def escape(text: str) -> Markup:
    """Make any text harmless, and leave Markup as it is; what cannot be seen is shown as a box."""
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(_visible(text)))  # noqa: S704 - the one place that vouches for a text


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() or c in _KEPT else "\N{WHITE SQUARE}" for c in text)


def say_markup(key: str, /, **values: object) -> Markup:
    """Return a text that may hold tags of its own, with every text that is put in escaped.

    Args:
        key: As `texts.say` wants it.
        values: What stands in its braces; Markup is left as it is.
    """
    harmless = {n: escape(v) if isinstance(v, str) else v for n, v in values.items()}
    return Markup(say(key, **harmless))  # noqa: S704 - the text is ours, the values are escaped


def listed_markup(parts: Sequence[Markup], between: str = "and") -> Markup:
    """Write a list of pieces of a page in words, as `texts.listed` does of texts."""
    *first, last = parts
    if not first:
        return last
    listed = say_of("list", between, first=Markup(", ").join(first), last=last)
    return Markup(listed)  # noqa: S704 - the text is ours, the pieces are Markup


def joined(parts: Iterable[str]) -> Markup:
    """Put pieces of a page one behind the other: Markup as it is, any other text escaped."""
    return Markup().join(map(escape, parts))


def markdown(text: str) -> str:
    """Keep a text's characters from being read as Markdown, in labels and messages.

    What cannot be seen is shown as a box.
    """
    return "".join(f"\\{c}" if c in r"\`*_{}[]()<>#+-.!|~$:" else c for c in _visible(text))


def quoted(text: str) -> str:
    """Shorten what a link or a person gave, for a message in Markdown."""
    return markdown(text if len(text) <= 40 else f"{text[:39]}…")


class Mark(NamedTuple):
    """A stretch of a text that is underlined, and what is said of it."""

    start: int
    end: int
    title: str


def marked_text(text: str, unknown: Sequence[UnknownWord], carried: Sequence[Mark] = ()) -> Markup:
    """Show the text as typed, with the stretches that the model does not know marked in place.

    Those that it carries over are marked more quietly.
    """
    shown = text[:_LONGEST_SHOWN]
    around = Markup("<mark>"), Markup("</mark>")
    strange = [(word.start, word.end, *around) for word in unknown]
    marked = _marked(shown, [*strange, *map(_underlined, carried)])
    more = "…" if len(text) > len(shown) else ""
    return Markup('<p class="loupe-typed" dir="auto">{}{}</p>').format(marked, more)


def underlined(text: str, marks: Sequence[Mark]) -> Markup:
    """Underline stretches of a text."""
    return _marked(text, list(map(_underlined, marks)))


def _underlined(mark: Mark) -> _Stretch:
    opened = Markup('<span class="loupe-carried" title="{}">').format(escape(mark.title))
    return mark.start, mark.end, opened, Markup("</span>")


def _marked(text: str, stretches: list[_Stretch]) -> Markup:
    """Put markup around stretches of a text, which do not overlap."""
    parts, position = [], 0
    for start, end, opened, closed in sorted(stretches):
        if start < len(text):
            parts += [text[position:start], opened, text[start:end], closed]
            position = end
    return joined([*parts, text[position:]])


def question(title: str, answer: str = "") -> Markup:
    """Open a page: the one question that it answers, and the answer in words.

    Args:
        title: The question. It is the page's one h1: call this once for a page.
        answer: Computed for the run. Tokens in it are `<em>`, which is Markup; a text is escaped.
    """
    asked = Markup('<h1 class="loupe-question">{}</h1>').format(escape(title))
    if not answer:
        return asked
    return asked + Markup('<p class="loupe-answer" dir="auto">{}</p>').format(escape(answer))


def token(text: str) -> Markup:
    """Set a token apart within a sentence, as someone typed it."""
    return Markup('<em class="loupe-token">{}</em>').format(escape(text))


def heading(text: str, *, code: str = "", shape: str = "") -> Markup:
    """Head a card: words, then the name and the shape of the tensor in view."""
    parts = [Markup("<span>{}</span>").format(escape(text))]
    if code:
        parts.append(Markup("<code>{}</code>").format(escape(code)))
    if shape:
        parts.append(Markup('<span class="loupe-shape">{}</span>').format(escape(shape)))
    return Markup('<h2 class="loupe-heading">{}</h2>').format(Markup(" ").join(parts))


def badges(checks: Iterable[tuple[bool, str, str]]) -> Markup:
    """Show checks as (passed, words, what was measured)."""
    shown = (
        Markup('<li class="{}"><b>{}</b> {} <code>{}</code></li>').format(
            "loupe-pass" if passed else "loupe-fail",
            "✓" if passed else "✗",
            escape(words),
            escape(measured),
        )
        for passed, words, measured in checks
    )
    return Markup('<ul class="loupe-badges loupe-fit">{}</ul>').format(joined(shown))


def replacement(word: str) -> Markup:
    """Begin a line that offers known words for an unknown one."""
    return Markup('<p class="loupe-typed"><mark>{}</mark> →</p>').format(escape(word[:24]))


def sentence(text: str, marks: Sequence[Mark] = ()) -> Markup:
    """Show a sentence for people to read."""
    return as_sentence(underlined(text, marks))


def as_sentence(words: str) -> Markup:
    """Show words as a sentence; a long one can scroll, so that a keyboard can reach it."""
    shown = words.striptags() if isinstance(words, Markup) else words
    reachable = Markup(' tabindex="0"') if len(shown) > _FITS else ""
    return Markup('<p class="loupe-sentence" dir="auto"{}>{}</p>').format(reachable, words)


def note(text: str) -> Markup:
    """Write something in quiet type."""
    return Markup('<p class="loupe-note loupe-fit">{}</p>').format(escape(text))


def notice(title: str, text: str) -> Markup:
    """Describe what is wrong, and what would work."""
    return Markup('<div class="loupe-notice" role="status"><b>{}</b><p>{}</p></div>').format(
        escape(title), escape(text)
    )


def key_list(keys: Iterable[tuple[str, str]]) -> Markup:
    """List keys of the keyboard and what each does."""
    rows = (
        Markup("<dt>{}</dt><dd>{}</dd>").format(
            joined(Markup("<kbd>{}</kbd>").format(escape(key)) for key in names.split()),
            escape(does),
        )
        for names, does in keys
    )
    return Markup('<dl class="loupe-keys">{}</dl>').format(joined(rows))
