"""Text and tokens as HTML. Everything that someone typed is escaped here, and only here."""

import html
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from model.text.unknown import UnknownWord
from texts import say, say_of

_Stretch = tuple[int, int, Markup, Markup]
"""Start and end of a part of a text, with the markup before and after it."""

_FITS = 60
"""Most characters of a sentence that a phone shows without scrolling."""
_LONGEST_SHOWN = 400
_KEPT = "\n\u00a0\u202f\u200c\u200d"
"""Line ends, fixed spaces, and the joiners of emoji and of words in some scripts."""


def escape(text: str) -> Markup:
    """Escape any text, but leave Markup as it is; an invisible character becomes a box."""
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(_visible(text)))  # noqa: S704 - the one place that vouches for a text


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() or c in _KEPT else "\N{WHITE SQUARE}" for c in text)


def say_markup(key: str, /, **values: object) -> Markup:
    """Return a text that may have its own tags, with all inserted texts escaped.

    Args:
        key: The key, as for `texts.say`.
        values: The values of the placeholders; Markup is left as it is.
    """
    harmless = {n: escape(v) if isinstance(v, str) else v for n, v in values.items()}
    return Markup(say(key, **harmless))  # noqa: S704 - Loupe's own text, escaped values


def listed_markup(parts: Sequence[Markup], between: str = "and") -> Markup:
    """Join pieces of HTML to a list in words, as `texts.listed` does with texts."""
    *first, last = parts
    if not first:
        return last
    listed = say_of("list", between, first=Markup(", ").join(first), last=last)
    return Markup(listed)  # noqa: S704 - the text is Loupe's own, the pieces are Markup


def joined(parts: Iterable[str]) -> Markup:
    """Join pieces of a page: Markup as it is, any other text escaped."""
    return Markup().join(map(escape, parts))


def markdown(text: str) -> str:
    """Escape the characters of a text that Markdown would interpret, in labels and messages.

    An invisible character becomes a box.
    """
    return "".join(f"\\{c}" if c in r"\`*_{}[]()<>#+-.!|~$:" else c for c in _visible(text))


def quoted(text: str) -> str:
    """Shorten a text from a link or a person, for a message in Markdown."""
    return markdown(text if len(text) <= 40 else f"{text[:39]}…")


class Mark(NamedTuple):
    """An underlined part of a text, with its tooltip."""

    start: int
    end: int
    title: str


def marked_text(text: str, unknown: Sequence[UnknownWord], carried: Sequence[Mark] = ()) -> Markup:
    """Show a typed text with the unknown words marked.

    The words that the model copies are marked less strongly.
    """
    shown = text[:_LONGEST_SHOWN]
    around = Markup("<mark>"), Markup("</mark>")
    strange = [(word.start, word.end, *around) for word in unknown]
    marked = _marked(shown, [*strange, *map(_underlined, carried)])
    more = "…" if len(text) > len(shown) else ""
    return Markup('<p class="loupe-typed" dir="auto">{}{}</p>').format(marked, more)


def underlined(text: str, marks: Sequence[Mark]) -> Markup:
    """Underline parts of a text."""
    return _marked(text, list(map(_underlined, marks)))


def _underlined(mark: Mark) -> _Stretch:
    opened = Markup('<span class="loupe-carried" title="{}">').format(escape(mark.title))
    return mark.start, mark.end, opened, Markup("</span>")


def _marked(text: str, stretches: list[_Stretch]) -> Markup:
    """Put markup around parts of a text, which must not overlap."""
    parts, position = [], 0
    for start, end, opened, closed in sorted(stretches):
        if start < len(text):
            parts += [text[position:start], opened, text[start:end], closed]
            position = end
    return joined([*parts, text[position:]])


def question(title: str, answer: str = "") -> Markup:
    """Begin a page with its one question and the answer in words.

    Args:
        title: The question. It is the page's only h1, so call this once per page.
        answer: Computed from the run. Tokens in it are `<em>` in Markup; a text is escaped.
    """
    asked = Markup('<h1 class="loupe-question">{}</h1>').format(escape(title))
    if not answer:
        return asked
    return asked + Markup('<p class="loupe-answer" dir="auto">{}</p>').format(escape(answer))


def token(text: str) -> Markup:
    """Mark a token within a sentence, as someone typed it."""
    return Markup('<em class="loupe-token">{}</em>').format(escape(text))


def heading(text: str, *, code: str = "", shape: str = "") -> Markup:
    """Write the heading of a card: words, then the name and the shape of the tensor in view."""
    parts = [Markup("<span>{}</span>").format(escape(text))]
    if code:
        parts.append(Markup("<code>{}</code>").format(escape(code)))
    if shape:
        parts.append(Markup('<span class="loupe-shape">{}</span>').format(escape(shape)))
    return Markup('<h2 class="loupe-heading">{}</h2>').format(Markup(" ").join(parts))


def badges(checks: Iterable[tuple[bool, str, str]]) -> Markup:
    """Write checks given as (passed, words, measured value)."""
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
    """Write words as a sentence; a long one can be focused, so that the keyboard can scroll it."""
    shown = words.striptags() if isinstance(words, Markup) else words
    reachable = Markup(' tabindex="0"') if len(shown) > _FITS else ""
    return Markup('<p class="loupe-sentence" dir="auto"{}>{}</p>').format(reachable, words)


def note(text: str) -> Markup:
    """Write a note in small, soft type."""
    return Markup('<p class="loupe-note loupe-fit">{}</p>').format(escape(text))


def notice(title: str, text: str) -> Markup:
    """Describe an error, and what would work."""
    return Markup('<div class="loupe-notice" role="status"><b>{}</b><p>{}</p></div>').format(
        escape(title), escape(text)
    )


def key_list(keys: Iterable[tuple[str, str]]) -> Markup:
    """List keys of the keyboard with their actions."""
    rows = (
        Markup("<dt>{}</dt><dd>{}</dd>").format(
            joined(Markup("<kbd>{}</kbd>").format(escape(key)) for key in names.split()),
            escape(does),
        )
        for names, does in keys
    )
    return Markup('<dl class="loupe-keys">{}</dl>').format(joined(rows))
