"""The output of a run, as the bar shows it."""

from markupsafe import Markup

from texts import say
from viz.frame import words
from viz.pictures import tokens
from viz.run.copied_words import written_marks
from viz.run.record import Run, guesses

_MOST_NAMED = 4
"""The number of unknown words named at most; the others are counted."""


def reading() -> Markup:
    """Say that the model is running; the style sheet shows this only after a moment."""
    return Markup('<p class="loupe-reading" role="status">{}</p>').format(say("frame.reading"))


def written(run: Run) -> Markup:
    """Return the written text: large, or small after a warning if the model had to guess.

    A given target was not guessed.
    """
    if not run.anatomy.writes:
        return _read(run)
    shown = tokens.underlined(run.text, written_marks(run)) if run.text else None
    unknown = unknown_words(run)
    if unknown and not run.given:
        said = words.cannot_know([_shown(word) for word in unknown[:_MOST_NAMED]], len(unknown))
        return Markup('<p class="loupe-doubtful" dir="auto">{} <q>{}</q></p>').format(
            tokens.escape(said), shown or say("frame.wrote_nothing")
        )
    return tokens.as_sentence(shown or say("frame.wrote_nothing"))


def _read(run: Run) -> Markup:
    """Return the guesses of a model that only reads for the hidden words."""
    guessed = [words.guessed(guess.token, guess.probability) for guess in guesses(run)]
    if guessed:
        return tokens.as_sentence(", ".join(guessed))
    mask = run.info.tokenizers.source.specials.mask
    named = None if mask is None else run.info.tokenizers.source.token(mask)
    said = words.only_reads(named if run.anatomy.predicts else None)
    return Markup('<p class="loupe-doubtful" dir="auto">{}</p>').format(said)


def unknown_words(run: Run) -> list[str]:
    """List the words of the source that the model reads as `<unk>`, each once."""
    found = {word.text.lower(): word.text for word in reversed(run.source.unknown)}
    return list(reversed(found.values()))


def _shown(word: str) -> str:
    return word if len(word) <= 24 else f"{word[:23]}…"
