"""A run and what is changed of it, packed for the hand in the browser."""

from model.decoding.steps import DecodingStep, steps_of
from model.traces import present
from viz.models.browser_inputs import pack_intervention
from viz.run.record import Run, longest_written, probability
from viz.run.view import View
from viz.subjects.touch.pulls import Pull
from viz.subjects.touch.wire import WireHand, WireLikely

MOST_LIKELY = 20
"""Tokens of each step whose logits PyTorch's are held against."""


def pack_hand(view: View, before: View, model: str, pull: Pull | None, number: int) -> WireHand:
    """Pack a run beside itself without changes.

    Args:
        view: The run in view.
        before: The same run as it was.
        model: Name of the weights that the browser has; empty where it has none.
        pull: One that is worth a try.
        number: Of the last change that the browser told.
    """
    run, old = view.run, before.run
    target = run.info.tokenizers.target
    written = guessed(run)
    steps, old_steps = guesses(run), guesses(old)
    return {
        "run": view.parcel.key,
        "before": before.parcel.key,
        "model": model,
        "source": run.source.ids,
        "sourceTokens": run.texts["source"],
        "begin": run.target_tokens[0] if run.target_tokens else "",
        "prompt": run.n_prompt,
        "tokens": target.tokens(written),
        "tokensBefore": target.tokens(guessed(old)),
        "named": [(token, target.token(token)) for token in _carried(run)],
        "longest": longest_written(run.info.config, run.source),
        "given": written if run.given else [],
        "interventions": [pack_intervention(made) for made in run.interventions],
        "written": written,
        "writtenBefore": guessed(old),
        "probabilities": [probability(step) for step in steps],
        "probabilitiesBefore": [probability(step) for step in old_steps],
        "likely": [_likely(step) for step in steps],
        "pull": pull and {"row": pull.row, "held": pull.held, "to": pull.to},
        "number": number,
    }


def guesses(run: Run) -> tuple[DecodingStep, ...]:
    """Return the steps of a run or, of a model that only reads, what it would put at each place."""
    if run.anatomy.writes:
        return run.steps
    logits = present(run.trace.logits)[0].float()
    return steps_of(logits, logits.argmax(dim=-1).tolist())


def guessed(run: Run) -> list[int]:
    """Return the ids that were written or, of a model that only reads, put at each place."""
    return [step.token for step in guesses(run)]


def _likely(step: DecodingStep) -> WireLikely:
    values, ids = step.logits.topk(min(MOST_LIKELY, len(step.logits)))
    return {"ids": ids.tolist(), "logits": values.tolist()}


def _carried(run: Run) -> list[int]:
    """List the ids that have other names in this sentence: those of words carried over."""
    stand_ins = run.info.tokenizers.stand_ins
    if stand_ins is None or not run.source.copied:
        return []
    vocabulary = run.info.tokenizers.target.vocabulary
    return [vocabulary[token] for token in stand_ins.tokens if token in vocabulary]
