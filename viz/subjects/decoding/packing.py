"""Packs the pictures of decoding: names and counts as plain values, numbers as tables."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
from jaxtyping import UInt16

from model.decoding.beam import BeamStep, best_hypothesis
from model.text.words import Words
from viz.run.codes import encode_weights
from viz.run.copied_words import is_stand_in
from viz.run.record import Run
from viz.subjects.decoding.lens import Lens
from viz.subjects.decoding.paths import DecodedPath
from viz.subjects.decoding.ranking import Ranking, rank_steps, ranked_tokens
from viz.subjects.decoding.reading import Reading
from viz.subjects.decoding.strategy import TEMPERATURE_PLACES, Mode, Strategy
from viz.subjects.decoding.wire import (
    WireBranch,
    WireBranches,
    WireLens,
    WirePath,
    WireRanking,
    WireTree,
)

MOST_NODES = 1500
"""The largest number of hypotheses drawn in a tree."""


def pack_path(
    run: Run,
    path: DecodedPath,
    reading: Reading,
    strategy: Strategy,
    key: str,
) -> dict[str, Any]:
    """Pack a path: its tokens, the most probable tokens of each step, the weights as bytes."""
    count = reading.states.size(1)
    steps = path.steps[:count]
    size, sampled = run.info.config.target_vocab_size, strategy.mode == "Sampling"
    ranking = rank_steps(steps, _temperatures(strategy), ranked_tokens(size, sampled=sampled))
    target = run.info.tokenizers.target
    known = sorted({*path.ids[:count], *ranking.tokens.ravel().tolist()})
    names = target.tokens(known)
    smoothing = run.info.training.get("label_smoothing")
    meta: WirePath = {
        "key": key,
        "mode": strategy.mode,
        "given": strategy.mode == "Given" and not path.branch,
        "isRun": path.steps is run.steps,
        "source": run.texts["source"],
        "vocabulary": dict(zip(map(str, known), names, strict=True)),
        "copies": sorted(name for name in names if is_stand_in(run.info.tokenizers, name)),
        "smoothing": float(smoothing) if isinstance(smoothing, int | float) else 0.0,
        "begin": target.token(run.target_ids[0]),
        "ids": path.ids[:count],
        "length": len(path.steps),
        "prompt": path.n_prompt,
        "finished": path.finished,
        "forced": [step.forced for step in steps],
        "logs": [step.log_probability for step in steps],
        **_ranking_meta(ranking),
        "layers": run.info.config.n_decoder_layers,
        "heads": run.info.config.n_heads,
    }
    return {
        "meta": meta,
        "ranked": pa.table({"id": ranking.tokens.ravel(), "logit": ranking.logits.ravel()}),
        "others": pa.table({"sum": ranking.sums.ravel(), "weighted": ranking.weighted.ravel()}),
        "codes": pa.table({"code": _path_codes(reading, count)}),
    }


def _path_codes(reading: Reading, count: int) -> UInt16[np.ndarray, " size"]:
    codes = (
        encode_weights(reading.self_weights, np.tri(count, dtype=bool)),
        encode_weights(reading.cross_weights, reading.cross_mask),
    )
    return np.concatenate([part.ravel() for part in codes])


def _temperatures(strategy: Strategy) -> tuple[float, ...]:
    """Return the temperatures that the browser can shape by: only 1 without a sampler."""
    if strategy.mode != "Sampling":
        return (1.0,)
    return tuple(dict.fromkeys((*TEMPERATURE_PLACES, strategy.shaping.temperature)))


def _ranking_meta(ranking: Ranking) -> WireRanking:
    return {
        "size": ranking.vocabulary_size,
        "sent": ranking.tokens.shape[1],
        "ranks": ranking.ranks,
        "temperatures": ranking.temperatures,
    }


def pack_lens(run: Run, lens: Lens, written: Sequence[int], key: str) -> WireLens:
    """Pack the prediction of each depth as plain values: [depth][step]."""
    target = run.info.tokenizers.target
    return {
        "path": key,
        "names": lens.names,
        "written": target.tokens(written),
        "tops": [[target.tokens(ids) for ids in row] for row in lens.top_tokens.tolist()],
        "shares": lens.top_probabilities.tolist(),
        "ranks": lens.ranks.tolist(),
        "probabilities": lens.probabilities.tolist(),
    }


def pack_tree(run: Run, path: DecodedPath) -> WireTree:
    """Pack the hypotheses of a search, a list for each field."""
    first = min(path.n_prompt, len(path.search) - 1)  # the tokens of a prompt are not choices
    steps = path.search[first : max(first + 1, drawn_steps(path.search))]
    nodes = [h for step in steps for h in step.hypotheses]
    return {
        "id": [h.id for h in nodes],
        "parent": [h.parent if h.index > first else None for h in nodes],
        "token": run.info.tokenizers.target.tokens(h.token for h in nodes),
        "index": [h.index for h in nodes],
        "logProbability": [h.log_probability for h in nodes],
        "total": [h.total for h in nodes],
        "score": [h.score for h in nodes],
        "kept": [h.kept for h in nodes],
        "finished": [h.finished for h in nodes],
        "best": best_hypothesis(path.search).id,
        "steps": len(path.search),
    }


def drawn_steps(search: tuple[BeamStep, ...]) -> int:
    """Count the first steps whose hypotheses can all be drawn."""
    totals = accumulate(len(step.hypotheses) for step in search)
    return max(1, sum(total <= MOST_NODES for total in totals))


def pack_branches(target: Words, mode: Mode, paths: Sequence[DecodedPath]) -> WireBranches:
    """Pack the tokens and their probabilities of some paths, the model's choice first."""
    return {"mode": mode, "branches": [_branch(target, path) for path in paths]}


def _branch(target: Words, path: DecodedPath) -> WireBranch:
    return {
        "text": target.decode(path.written),
        "ids": path.written,
        "tokens": target.tokens(path.written),
        "logs": [step.log_probability for step in path.steps[path.n_prompt :]],
        "prompt": path.n_prompt,
        "forks": [fork.step - path.n_prompt for fork in path.branch],
        "finished": path.finished,
    }
