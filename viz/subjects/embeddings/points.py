"""The vectors of the page: embeddings of a vocabulary, and a run's states by layer."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from model.config import TransformerConfig
from model.traces import EmbeddingTrace
from texts import say, say_of
from viz.heads.head_roles import word_classes
from viz.run.record import Run
from viz.subjects.embeddings.geometry import mean_cosine, without_common

if TYPE_CHECKING:  # only for types
    from model.checkpoints.metadata import CheckpointInfo
    from model.foreign.huggingface import RecordedModel
    from model.transformer import Transformer

Side = Literal["source", "target"]

MOST_WORDS = 6000
"""The largest number of words of a language in a comparison."""
_WORD = re.compile(r"[^\W_]")
_STAND_IN = re.compile(r"<\w+>")
_MOST_STATES = 1500
"""The largest number of points in a picture of states."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words of one language, or the tokens of one side, and their embeddings."""

    side: Side
    ids: Int[np.ndarray, " token"]
    tokens: tuple[str, ...]
    rows: Float[np.ndarray, "token d_model"]
    """The embeddings as they are in the model."""
    vectors: Float[np.ndarray, "token d_model"]
    """The embeddings without their common part."""
    in_common: float
    """The mean cosine of two tokens before the common part was removed."""

    def index(self, token: str) -> int | None:
        """Find a token; return None if it is not in the list."""
        return self.tokens.index(token) if token in self.tokens else None


@dataclass(frozen=True, eq=False)
class States:
    """The vectors of one text's tokens after each step of the embedding and of its stack."""

    side: Side
    steps: tuple[str, ...]
    """The name of each step: embedding, + positions, layer 0 and so on."""
    names: tuple[str, ...]
    """The tensor of each step in the trace."""
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    vectors: Float[np.ndarray, "step token d_model"]
    left_out: int
    """The number of tokens at the end that are left out for lack of room."""

    @property
    def flat(self) -> Float[np.ndarray, "state d_model"]:
        """Return all states in one list: every token of the first step, then of the next."""
        return self.vectors.reshape(-1, self.vectors.shape[-1])


def vocabulary_sides(info: "CheckpointInfo") -> tuple[Side, ...]:
    """List the sides with their own words; of sides that share their embeddings, the first."""
    sides = stack_sides(info.config)
    return sides[:1] if info.config.tying == "all" and not word_classes(info).target else sides


def stack_sides(config: TransformerConfig) -> tuple[Side, ...]:
    """List the sides that a stack reads."""
    read: dict[Side, bool] = {"source": config.has_encoder, "target": config.has_decoder}
    return tuple(side for side, is_read in read.items() if is_read)


def vocabulary(
    run: Run, model: "Transformer | RecordedModel", side: Side, most: int = MOST_WORDS
) -> Vocabulary:
    """Take the embeddings of the words of one side.

    If there are more than `most`, they are those with the lowest ids, which are the most frequent,
    and those of the run's own text.
    """
    tokenizer = getattr(run.info.tokenizers, side)
    ids = _word_ids(run.info, side)
    ids = ids[(np.arange(len(ids)) < most) | np.isin(ids, text_ids(run, side))]
    rows = model.embedding_of(side).weight.detach()[ids].cpu().float().numpy()
    return Vocabulary(
        side=side,
        ids=ids,
        tokens=tokenizer.tokens(ids.tolist()),
        rows=rows,
        vectors=without_common(rows).astype(np.float32),
        in_common=mean_cosine(rows),
    )


def _word_ids(info: "CheckpointInfo", side: Side) -> Int[np.ndarray, " token"]:
    """Find the tokens with a letter or a digit that are not stand-ins; all if there are none.

    If two languages share ids, words of the other language are left out.
    """
    tokenizer = getattr(info.tokenizers, side)
    ids = np.setdiff1d(np.arange(tokenizer.vocab_size), [*tokenizer.specials.all])
    own, others = getattr(word_classes(info), side), frozenset[str]()
    if own and info.tokenizers.shared:
        source, target = info.tokenizers.source.vocabulary, info.tokenizers.target.vocabulary
        others = target.keys() - source.keys() if side == "source" else source.keys() - own.keys()
    found = [
        bool(_WORD.search(name)) and not _STAND_IN.fullmatch(name) and name not in others
        for name in tokenizer.tokens(ids.tolist())
    ]
    return ids[found] if any(found) else ids


def text_ids(run: Run, side: Side) -> tuple[int, ...]:
    """Return the ids that the encoder or the decoder read."""
    if side == "source":
        return run.source.ids
    return run.target_ids[:-1]


def states(run: Run, side: Side, most: int = _MOST_STATES) -> States:
    """Take the states of one text from the trace; of its first tokens if there are too many."""
    trace = run.trace
    embedding = trace.source_embedding if side == "source" else trace.target_embedding
    stack = trace.stack_of(side)
    prefix = "encoder" if side == "source" else "decoder"
    found = [
        *(_entered(run.info.config, side, embedding) if embedding else ()),
        *(
            (say("embeddings.step_layer", layer=i), f"{prefix}.layers.{i}.output", layer.output)
            for i, layer in enumerate(stack.layers)
        ),
    ]
    if run.info.config.final_norm:
        found.append((say("embeddings.step_final_norm"), f"{prefix}.output", stack.output))
    ids = text_ids(run, side)
    kept = min(len(ids), max(1, most // len(found)))
    tokens = run.texts[side][: len(ids)]
    return States(
        side=side,
        steps=tuple(words for words, _, _ in found),
        names=tuple(name for _, name, _ in found),
        ids=ids[:kept],
        tokens=tokens[:kept],
        vectors=np.stack([tensor[0, :kept].numpy() for _, _, tensor in found]),
        left_out=len(ids) - kept,
    )


def _entered(
    config: TransformerConfig, side: Side, embedding: EmbeddingTrace
) -> list[tuple[str, str, Tensor]]:
    """Name the embedding, and the first layer's input by the vectors added to it, if any."""
    tokens = (say("embeddings.step_embedding"), f"{side}_embedding.tokens", embedding.tokens)
    added = [
        ("positions", config.has_position_vectors or config.positions == "none"),
        ("segments", bool(config.segments)),
        ("norm", config.embedding_norm),
    ]
    words = [say_of("embeddings.added", name) for name, is_there in added if is_there]
    if not words:
        return [tokens]
    said = say("embeddings.step_added", listed=", ".join(words))
    return [tokens, (said, f"{side}_embedding.output", embedding.output)]
