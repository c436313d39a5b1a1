"""The question of a sentence with all its numbers, packed for the browser."""

import base64
import math

import numpy as np
from jaxtyping import Float

from viz.heads.coreference import PRONOUNS
from viz.heads.telling_cells import is_word
from viz.run.axes import attention_trace
from viz.run.record import Run
from viz.subjects.start.question import KIND, Question, meaning_of
from viz.subjects.start.wire import WireAnswer, WireReading, WireRow

_GENDERS = {"il": "m", "elle": "f"}


def pack_reading(run: Run, question: Question, without: float | None) -> WireReading:
    """Pack one sentence with what the head of a question computes for it.

    Args:
        run: Of the sentence.
        question: Which head and row it is about.
        without: The probability of the answer with the head switched off; None without an answer.
    """
    attention = attention_trace(run, KIND, question.layer)
    meaning = meaning_of(run)
    step = answer_step(run, question)
    answer: WireAnswer | None = None
    written = written_pieces(run)
    if step is not None and without is not None and step < len(written):
        chance = math.exp(run.steps[step].log_probability)
        answer = {"at": step, "probability": chance, "without": without}
    return {
        "source": run.source_text,
        "label": run.source.tokens[meaning.adjective] if meaning else "",
        "tokens": run.source.tokens,
        "written": written,
        "given": run.given,
        "unknown": [word.text for word in run.source.unknown],
        "weights": _packed(attention.weights[0, question.head].numpy()),
        "row": _row(run, question),
        "answer": answer,
        "right": meaning.right if meaning and question.meaning else None,
        "gender": _GENDERS[meaning.pronoun] if meaning and question.meaning else "",
    }


def answer_step(run: Run, question: Question) -> int | None:
    """Find the step that read the word of the question most; of "it" one that wrote a pronoun.

    By the mean over the heads of the last layer of cross-attention. None where each step read
    another word more, as where the word was left out.
    """
    last = attention_trace(run, "cross-attention", run.info.config.n_decoder_layers - 1)
    weights = np.nan_to_num(last.weights[0].mean(dim=0).numpy())
    tokens = run.target_tokens[1:]
    pronouns = np.array([token in PRONOUNS for token in tokens])
    able = np.array([is_word(token) for token in tokens])
    if question.meaning and pronouns.any():
        able = pronouns
    else:
        able &= weights.argmax(axis=1) == question.query
    reads = weights[:, question.query]
    return int(np.where(able, reads, -1).argmax()) if able.any() else None


def written_pieces(run: Run) -> list[tuple[str, str]]:
    """Cut what was written into its tokens, each with what stands before it in the text."""
    tokens = run.target_tokens[1:-1] if run.finished else run.target_tokens[1:]
    pieces: list[tuple[str, str]] = []
    at = 0
    for token in tokens:
        found = run.text.find(token, at)
        if found < 0 or run.text[at:found].strip():
            return [(" " if index else "", word) for index, word in enumerate(tokens)]
        pieces.append((run.text[at:found], token))
        at = found + len(token)
    return pieces


def _row(run: Run, question: Question) -> WireRow:
    attention = attention_trace(run, KIND, question.layer)
    head, query = question.head, question.query
    return {
        "q": _packed(attention.query[0, head, query].numpy()),
        "k": _packed(attention.key[0, head].numpy()),
        "v": _packed(attention.value[0, head].numpy()),
        "scores": _packed(attention.scores[0, head, query].numpy()),
        "weights": _packed(attention.weights[0, head, query].numpy()),
        "mix": _packed(attention.heads[0, head, query].numpy()),
    }


def _packed(values: Float[np.ndarray, "..."]) -> str:
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode("ascii")
