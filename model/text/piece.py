"""A stretch of normalised text that knows its place in the text as typed."""

from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end of a stretch of characters in the text as typed."""


@dataclass(frozen=True)
class Piece:
    """Normalised text, and the span of each of its characters in the text as typed."""

    text: str
    spans: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """From the first character's start to the last one's end."""
        return self.spans[0][0], self.spans[-1][1]

    def part(self, start: int, end: int) -> "Piece":
        """Cut out some of its characters."""
        return Piece(self.text[start:end], self.spans[start:end])

    def rewritten(self, text: str) -> "Piece":
        """Put another text in its place; each new character stands for the whole of it."""
        return Piece(text, (self.span,) * len(text))
