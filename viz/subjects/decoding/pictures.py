"""The pictures of the decoding studio: the player, branches, losses, the beam's tree, the lens."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import streamlit as st
from jaxtyping import Bool, Float, UInt16

from model.tokenizer import BOS_ID
from model.transformer import Transformer
from viz.pictures.component import picture
from viz.run.parcel import encode_weights
from viz.run.record import Run, attention_name
from viz.subjects.decoding.lens import Lens
from viz.subjects.decoding.paths import Path, differing, read_together
from viz.subjects.decoding.reading import Reading
from viz.subjects.decoding.tree import TreeReading, drawn_steps

_PLAYER, _BRANCHES, _TREE = "decoding_player", "decoding_branches", "decoding_tree"
_send_path = picture("decoding_path", "subjects/decoding/browser/studio.js")
_player = picture("decoding_player", "subjects/decoding/browser/player.js")
_branches = picture("decoding_branches", "subjects/decoding/browser/branches.js")
_losses = picture("decoding_losses", "subjects/decoding/browser/losses.js")
_tree = picture("decoding_tree", "subjects/decoding/browser/beam_tree.js")
_lens = picture("decoding_lens", "subjects/decoding/browser/lens.js")


class BranchCard(NamedTuple):
    """One branch, beside the model's choice."""

    title: str
    path: Path
    text: str


def pack_path(
    run: Run,
    model: Transformer,
    path: Path,
    reading: Reading,
    mode: str,
    languages: tuple[str, str],
    key: str,
) -> dict[str, Any]:
    """Pack a path: names and counts as plain values, logits as float32, weights as bytes."""
    count = reading.states.size(1)
    config, steps = run.info.config, path.steps[:count]
    target = run.info.tokenizers.target
    meta = {
        "key": key,
        "mode": mode,
        "given": mode == "Given" and not path.branch,
        "isRun": path.steps is run.steps,
        "causal": config.causal_mask,
        "languages": languages,
        "source": run.source.tokens,
        "vocabulary": target.tokens(range(config.target_vocab_size)),
        "begin": target.token(BOS_ID),
        "ids": path.ids[:count],
        "length": len(path.steps),
        "finished": path.finished,
        "forced": [step.forced for step in steps],
        "totals": list(accumulate(step.log_probability for step in steps)),
        "cached": [step.cached_positions for step in steps],
        "bytes": [step.cache_bytes for step in steps],
        "ends": read_together(path.steps, causal=config.causal_mask)[:count],
        "live": _live(path, count),
        "layers": config.n_decoder_layers,
        "heads": config.n_heads,
        "numbers": config.n_heads * (config.d_k + config.d_v),
        "element": next(model.parameters()).element_size(),
        "names": [
            attention_name("decoder self-attention", 0).replace(".0.", ".{layer}."),
            attention_name("cross-attention", 0).replace(".0.", ".{layer}."),
        ],
    }
    logits = np.concatenate([step.logits.numpy() for step in steps])
    codes = np.concatenate(
        [
            encode_weights(reading.self_weights, np.tri(count, dtype=bool)).ravel(),
            encode_weights(reading.cross_weights, reading.cross_mask).ravel(),
        ]
    )
    return {
        "meta": meta,
        "logits": pa.table({"logit": logits.astype(np.float32, copy=False)}),
        "codes": pa.table({"code": codes}),
    }


def pack_lens(run: Run, lens: Lens, written: Sequence[int], key: str) -> dict[str, Any]:
    """Pack what each depth would write, as plain values: [depth][step]."""
    target = run.info.tokenizers.target
    return {
        "path": key,
        "names": lens.names,
        "written": target.tokens(written),
        "tops": [[target.tokens(ids) for ids in row] for row in lens.top_tokens.tolist()],
        "shares": [
            [[round(p, 5) for p in cell] for cell in row] for row in lens.top_probabilities.tolist()
        ],
        "ranks": lens.ranks.tolist(),
        "probabilities": [[round(p, 5) for p in row] for row in lens.probabilities.tolist()],
    }


def pack_tree(
    run: Run, path: Path, reading: TreeReading | None, length_penalty: float
) -> dict[str, Any]:
    """Pack the hypotheses of a search, a list for each field, and the rows that they read."""
    steps = path.search[: drawn_steps(path.search)]
    nodes = [h for step in steps for h in step.hypotheses]
    target = run.info.tokenizers.target
    meta = {
        "id": [h.id for h in nodes],
        "parent": [h.parent for h in nodes],
        "token": target.tokens(h.token for h in nodes),
        "index": [h.index for h in nodes],
        "logProbability": [h.log_probability for h in nodes],
        "total": [h.total for h in nodes],
        "score": [h.score for h in nodes],
        "kept": [h.kept for h in nodes],
        "finished": [h.finished for h in nodes],
        "row": [reading.rows[h.parent] if reading else None for h in nodes],
        "best": path.hypothesis,
        "steps": len(path.search),
        "source": run.source.tokens,
        "penalty": length_penalty,
        "layers": run.info.config.n_decoder_layers,
        "heads": run.info.config.n_heads,
    }
    data: dict[str, Any] = {"meta": meta}
    if reading:
        data["codes"] = pa.table({"code": _coded(reading.cross_weights)})
    return data


def pack_branches(cards: Sequence[BranchCard], played: int | None) -> dict[str, Any]:
    """Pack branches: tokens, which of them the model's choice lacks, and scores.

    `played` is None while another hypothesis of the beam is played than the best.
    """
    base = cards[0].path
    return {
        "played": played,
        "branches": [
            {
                "title": card.title,
                "text": card.text,
                "forks": [fork.step for fork in card.path.branch],
                "ids": card.path.ids,
                "differs": differing(base.ids, card.path),
                "total": card.path.total,
                "finished": card.path.finished,
            }
            for card in cards
        ],
    }


def send_path(parcel: dict[str, Any]) -> None:
    """Send a packed path; Streamlit does so again only when it is another one."""
    _send_path(key="decoding_path", data=parcel)


def show_player(
    data: dict[str, Any],
    *,
    on_take: Callable[[], None],
    on_rest: Callable[[], None],
    on_draw: Callable[[], None],
) -> None:
    """Show the player of the path that was sent; it steps without Python."""
    _player(
        key=_PLAYER,
        data=data,
        on_take_change=on_take,
        on_rest_change=on_rest,
        on_draw_change=on_draw,
    )


def player_event(name: str) -> dict[str, Any]:
    """Give what the player told a callback."""
    return st.session_state[_PLAYER][name]


def show_branches(
    data: dict[str, Any],
    vocabulary_of: str,
    *,
    on_play: Callable[[], None],
    on_drop: Callable[[], None],
) -> None:
    """Show branches side by side; a click plays one. Tokens are named by the path of that key."""
    _branches(
        key=_BRANCHES,
        data=data | {"path": vocabulary_of},
        on_play_change=on_play,
        on_drop_change=on_drop,
    )


def branch_event(name: str) -> dict[str, Any]:
    """Give what a card of a branch told a callback."""
    return st.session_state[_BRANCHES][name]


def show_losses(key: str) -> None:
    """Show the loss of each token of a given target, from the path of that key."""
    _losses(key="decoding_losses", data={"path": key})


def show_tree(parcel: dict[str, Any], *, on_pick: Callable[[], None]) -> None:
    """Show a beam as a tree; a click on a hypothesis plays it."""
    _tree(key=_TREE, data=parcel, on_pick_change=on_pick)


def tree_event() -> dict[str, Any]:
    """Give the hypothesis that was clicked."""
    return st.session_state[_TREE]["pick"]


def show_lens(parcel: dict[str, Any]) -> None:
    """Show what each depth of the decoder would have written."""
    _lens(key="decoding_lens", data=parcel)


def _live(path: Path, count: int) -> list[int]:
    """Count the hypotheses that each step's pass went on from; 1 where no beam was searched."""
    if not path.search:
        return [1] * count
    kept = [sum(h.kept and not h.finished for h in step.hypotheses) for step in path.search]
    return [1, *kept][:count]


def _coded(weights: Float[np.ndarray, "row layer head source"]) -> UInt16[np.ndarray, " size"]:
    rows = weights.reshape(-1, weights.shape[-1])
    seen: Bool[np.ndarray, "row source"] = np.ones(rows.shape, dtype=bool)
    return encode_weights(rows, seen).ravel()
