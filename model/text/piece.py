"""A piece of normalised text that knows its place in the typed text."""

from dataclasses import dataclass

SPECIAL_TOKENS = ("<pad>", "<s>", "</s>", "<unk>")

Span = tuple[int, int]
"""The start and end of a range of characters in the typed text."""


@dataclass(frozen=True)
class Piece:
    """Normalised text, and the span of each of its characters in the typed text."""

    text: str
    spans: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """The span from the first character's start to the last one's end."""
        return self.spans[0][0], self.spans[-1][1]

    def part(self, start: int, end: int) -> "Piece":
        """Return some of its characters as a piece."""
        return Piece(self.text[start:end], self.spans[start:end])

    def rewritten(self, text: str) -> "Piece":
        """Replace its text; each new character has the span of the whole piece."""
        return Piece(text, (self.span,) * len(text))
