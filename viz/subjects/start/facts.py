"""Facts about a sentence of Start that only Python knows: parts of speech, the referent of "it"."""

import base64
from dataclasses import asdict
from typing import cast

import numpy as np
from jaxtyping import Float

from sample_data.tasks import source_classes
from viz.heads.coreference import Meaning, find_meaning
from viz.models.browser_inputs import model_of, pack_inputs
from viz.run.axes import AttentionKind, all_heads, attention_trace
from viz.run.record import Run
from viz.run.sending import is_whole
from viz.run.view import View
from viz.subjects.start.wire import WireMeaning, WireReading, WireStrongest

KIND: AttentionKind = "encoder self-attention"


def words_of(run: Run) -> tuple[str, ...]:
    """Return the words of a source as its task counts them."""
    return tuple(run.info.tokenizers.as_written(run.source, run.source_text).split())


def meaning_of(run: Run) -> Meaning | None:
    """Find the referent of "it" in the source of a run, if its tokens are the task's words."""
    words = words_of(run)
    if run.source.tokens[:-1] != words:
        return None
    return find_meaning(run.info.task, words)


def pack_reading(view: View) -> WireReading:
    """Pack the facts about one sentence that its run in the browser lacks."""
    run = view.run
    meaning, model = meaning_of(run), model_of(view)
    classes = source_classes(run.info.task)
    return {
        "run": view.parcel.key,
        "source": run.source_text,
        "meaning": cast("WireMeaning", asdict(meaning)) if meaning else None,
        "classes": [classes.get(token, "") for token in run.source.tokens],
        "finished": run.finished,
        "inputs": pack_inputs(view, model) if model else None,
        "strongest": _strongest(view),
        "without": None,
    }


def _strongest(view: View) -> WireStrongest | None:
    """Find the strongest key of each row, if the browser has only reduced weights."""
    if is_whole(view.parcel, KIND) and is_whole(view.parcel, "cross-attention"):
        return None
    run = view.run
    last = attention_trace(run, "cross-attention", run.info.config.n_decoder_layers - 1)
    read, written = all_heads(run, KIND), last.weights[0].mean(dim=0).numpy()
    return {"read": _keys_and_shares(read), "written": _keys_and_shares(written)}


def _keys_and_shares(weights: Float[np.ndarray, "*rows key"]) -> tuple[str, str]:
    weights = np.nan_to_num(weights)
    return _packed(weights.argmax(axis=-1)), _packed(weights.max(axis=-1))


def _packed(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode("ascii")
