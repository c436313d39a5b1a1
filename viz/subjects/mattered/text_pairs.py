"""Two texts or many pairs of them, as typed, for a model of one text."""

from collections.abc import Iterator, Sequence
from itertools import islice

import torch

from model.attribution.patching import LEAST_DIFFERENCE, Contest, PatchingError
from model.attribution.text_patching import text_contest
from model.checkpoints.checkpoint import Checkpoint
from model.text.words import Words, single_id
from model.traces import present
from texts import say
from viz.run.record import Run, encode_typed
from viz.subjects.mattered.work import within_reach

LONGEST = 20_000
"""The largest number of characters of a list."""
MOST_PAIRS = 64
LONGEST_TEXT = 60
"""The largest number of tokens of a patched text."""
_TRIED, _AT_ONCE = 64, 8
_FIELDS = 4


def asked_row(run: Run) -> int | None:
    """Return the row to compare: the last one, or the one of an encoder's hidden word.

    Returns None if no word is hidden.
    """
    if run.info.config.has_decoder:
        return -1
    mask = run.info.tokenizers.source.specials.mask
    return run.source.ids.index(mask) if mask in run.source.ids else None


def one_pair(checkpoint: Checkpoint, run: Run, other: str) -> tuple[Contest, ...]:
    """Align the text in view with another one. Raises ValueError if they cannot be compared."""
    row, ids = asked_row(run), _ids(checkpoint, other)
    if row is None:
        raise PatchingError(say("mattered.hide_a_word"))
    if len(run.source.ids) > LONGEST_TEXT:
        raise ValueError(_too_long(len(run.source.ids)))
    return within_reach(
        checkpoint.model, [text_contest(checkpoint.model, run.source.ids, ids, row)]
    )


def many_pairs(checkpoint: Checkpoint, typed: str) -> tuple[Contest, ...]:
    """Read a list of pairs: a text, another, the right token and the wrong one, separated by tabs.

    Raises ValueError if this is not such a list, naming the line, or if it takes too long.
    """
    if len(typed) > LONGEST:
        raise ValueError(say("mattered.list_too_long", most=LONGEST, count=len(typed)))
    lines = [line for line in typed.splitlines() if line.strip()]
    if len(lines) > MOST_PAIRS:
        raise ValueError(say("mattered.too_many_pairs", most=MOST_PAIRS, count=len(lines)))
    contests: list[Contest] = []
    for number, line in enumerate(lines, 1):
        try:
            contests.append(_read(checkpoint, line.split("\t")))
            if len(contests[0].clean) != len(contests[-1].clean):
                sizes = {"clean": len(contests[0].clean), "corrupt": len(contests[-1].clean)}
                raise ValueError(say("mattered.other_size", **sizes))
        except ValueError as error:
            raise ValueError(say("mattered.line", number=number, why=error)) from error
    return within_reach(checkpoint.model, contests)


@torch.inference_mode()
def suggest_text(checkpoint: Checkpoint, run: Run) -> str:
    """Find a text that the model continues differently because one token was replaced.

    The earlier the token the better, because other parts must then have carried the difference.
    Returns "" if none of those tried is.
    """
    row, own, model = asked_row(run), run.source.ids, checkpoint.model
    tried = [(text, encode_typed(checkpoint.info, text).ids) for text in _swapped(run)]
    tried = [(text, ids) for text, ids in tried if len(ids) == len(own) <= LONGEST_TEXT]
    for start in range(0, len(tried) if row is not None else 0, _AT_ONCE):
        some = tried[start : start + _AT_ONCE]
        ids = torch.tensor([own, *(ids for _, ids in some)], device=model.device)
        trace = model(ids, None) if model.config.has_encoder else model(None, ids)
        clean, *others = present(trace.logits)[:, row]
        answer = clean.argmax()
        for (text, _), logits in zip(some, others, strict=True):
            other = logits.argmax()
            apart = (clean[answer] - clean[other]) - (logits[answer] - logits[other])
            if other != answer and apart >= LEAST_DIFFERENCE:
                return text
    return ""


def _swapped(run: Run) -> Iterator[str]:
    """Write each word of a text in place of each other one, from the beginning of the text on."""
    text, mask = run.source_text, run.info.tokenizers.source.specials.mask
    spans = [s for s, i in zip(run.source.spans, run.source.ids, strict=True) if s and i != mask]
    words = dict.fromkeys(text[slice(*span)] for span in spans)
    each = ((span, word) for span in spans for word in words if word != text[slice(*span)])
    for (start, end), word in islice(each, _TRIED):
        yield f"{text[:start]}{word}{text[end:]}"


def _read(checkpoint: Checkpoint, fields: Sequence[str]) -> Contest:
    if len(fields) != _FIELDS:
        raise ValueError(say("mattered.four_fields", count=len(fields)))
    clean, corrupt = (_ids(checkpoint, text) for text in fields[:2])
    info = checkpoint.info
    words = info.tokenizers.target if info.config.has_decoder else info.tokenizers.source
    right, wrong = (_token(words, token) for token in fields[2:])
    if right == wrong:
        raise ValueError(say("mattered.one_token"))
    row = -1
    if not info.config.has_decoder:
        mask = words.specials.mask
        if mask not in clean:
            raise ValueError(say("mattered.hide_a_word"))
        row = clean.index(mask)
    return text_contest(checkpoint.model, clean, corrupt, row, (right, wrong))


def _token(words: Words, typed: str) -> int:
    try:
        return single_id(words, typed)
    except ValueError as error:
        raise ValueError(say("mattered.not_one_token", token=typed)) from error


def _ids(checkpoint: Checkpoint, text: str) -> tuple[int, ...]:
    ids = encode_typed(checkpoint.info, text).ids
    if len(ids) > LONGEST_TEXT:
        raise ValueError(_too_long(len(ids)))
    return ids


def _too_long(count: int) -> str:
    return say("mattered.too_long_to_patch", most=LONGEST_TEXT, count=count)
