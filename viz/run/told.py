"""Packs the texts of a run for the browser, with the probability of each token."""

from model.decoding.steps import DecodingStep, steps_of
from model.text.words import Words
from viz.run.copied_words import is_stand_in
from viz.run.record import Run, probability
from viz.run.wire import WireCandidate, WireTold, WireWritten

CANDIDATES = 12
"""Most candidates of a step."""
MOST_CANDIDATES = 600
"""Most candidates of all steps; for a long text, each step sends fewer."""


def pack_told(run: Run) -> WireTold:
    """Pack the texts of a run, and its steps."""
    steps, words = _predicted(run)
    count = max(2, min(CANDIDATES, MOST_CANDIDATES // max(len(steps), 1)))
    return {
        "text": run.source_text,
        "sentence": run.text,
        "given": run.given,
        "unknown": [word.text for word in run.source.unknown],
        "steps": [_step(run, words, step, count) for step in steps],
    }


def _predicted(run: Run) -> tuple[tuple[DecodingStep, ...], Words]:
    """Return the steps of a decoder; without one, the predictions at each token."""
    tokenizers = run.info.tokenizers
    if run.steps or run.trace.logits is None:
        return run.steps, tokenizers.target
    return steps_of(run.trace.logits[0].float(), run.source.ids), tokenizers.source


def _step(run: Run, words: Words, step: DecodingStep, count: int) -> WireWritten:
    best = [(each.token, each.probability) for each in step.candidates(count)]
    own = probability(step)
    if step.token not in dict(best):
        best[-1] = step.token, own
    tokens = words.tokens([token for token, _ in best])
    candidates: list[WireCandidate] = [
        {
            "id": one,
            "token": token,
            "isStandIn": is_stand_in(run.info.tokenizers, token),
            "probability": share,
        }
        for token, (one, share) in zip(tokens, best, strict=True)
    ]
    return {"id": step.token, "probability": own, "candidates": candidates}
