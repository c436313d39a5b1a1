"""Text and tokens as HTML. Everything that someone typed is escaped here, and only here."""

import html
from collections.abc import Iterable, Sequence

from model.tokenizer import UnknownWord

_LONGEST_SHOWN = 400
_KEPT = "\n\u200c\u200d"
"""Line ends, and the joiners within emoji and in the words of some scripts."""


def escape(text: str) -> str:
    """Make any text harmless; what cannot be seen is shown as a box."""
    visible = "".join(c if c.isprintable() or c in _KEPT else "\N{WHITE SQUARE}" for c in text)
    return html.escape(visible)


def markdown(text: str) -> str:
    """Keep a text's characters from being read as Markdown, in labels and messages."""
    return "".join(f"\\{c}" if c in r"\`*_{}[]()<>#+-.!|~$:" else c for c in text)


def quoted(text: str) -> str:
    """Shorten what a link or a person gave, for a message in Markdown."""
    return markdown(text if len(text) <= 40 else f"{text[:39]}…")


def marked_text(text: str, unknown: Sequence[UnknownWord]) -> str:
    """Show the text as typed, with the stretches that the model does not know marked in place."""
    shown = text[:_LONGEST_SHOWN]
    parts, position = [], 0
    for word in unknown:
        if word.start < len(shown):
            marked = escape(shown[word.start : word.end])
            parts += [escape(shown[position : word.start]), f"<mark>{marked}</mark>"]
            position = word.end
    parts += [escape(shown[position:]), "…" if len(text) > len(shown) else ""]
    return f'<p class="loupe-typed" dir="auto">{"".join(parts)}</p>'


def heading(text: str, *, code: str = "", shape: str = "") -> str:
    """Head a card: words, then the name and the shape of the tensor in view."""
    parts = [f"<span>{escape(text)}</span>"]
    if code:
        parts.append(f"<code>{escape(code)}</code>")
    if shape:
        parts.append(f'<span class="loupe-shape">{escape(shape)}</span>')
    return f'<h2 class="loupe-heading">{" ".join(parts)}</h2>'


def badges(checks: Iterable[tuple[bool, str, str]]) -> str:
    """Show checks as (passed, words, what was measured)."""
    shown = "".join(
        f'<li class="{"loupe-pass" if passed else "loupe-fail"}">'
        f"<b>{'✓' if passed else '✗'}</b> {escape(words)} <code>{escape(measured)}</code></li>"
        for passed, words, measured in checks
    )
    return f'<ul class="loupe-badges loupe-fit">{shown}</ul>'


def replacement(word: str) -> str:
    """Begin a line that offers known words for an unknown one."""
    return f'<p class="loupe-typed"><mark>{escape(word[:24])}</mark> →</p>'


def sentence(text: str) -> str:
    """Show a sentence for people to read."""
    return f'<p class="loupe-sentence" dir="auto">{escape(text)}</p>'


def note(text: str) -> str:
    """Say something quietly."""
    return f'<p class="loupe-note loupe-fit">{escape(text)}</p>'


def notice(title: str, text: str) -> str:
    """Say what is wrong, and what would work."""
    return (
        f'<div class="loupe-notice" role="status"><b>{escape(title)}</b><p>{escape(text)}</p></div>'
    )


def key_list(keys: Iterable[tuple[str, str]]) -> str:
    """List keys of the keyboard and what each does."""
    rows = "".join(
        f"<dt>{''.join(f'<kbd>{escape(key)}</kbd>' for key in names.split())}</dt>"
        f"<dd>{escape(does)}</dd>"
        for names, does in keys
    )
    return f'<dl class="loupe-keys">{rows}</dl>'
