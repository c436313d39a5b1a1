"""The vectors that the page shows: embeddings of a vocabulary, and a run's states by layer."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from model.config import TransformerConfig
from model.foreign.huggingface import RecordedModel
from model.traces import EmbeddingTrace
from model.transformer import Transformer
from texts import say, say_of
from viz.run.record import Run

Side = Literal["source", "target"]

MOST_POINTS = 1500
"""Points of one picture; t-SNE of as many takes about half a minute."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Embeddings of the tokens that one side knows."""

    name: str
    """Of the parameter in the model, and what it is multiplied by."""
    ids: Int[np.ndarray, " token"]
    tokens: tuple[str, ...]
    vectors: Float[np.ndarray, "token d_model"]
    """As they enter the model, before positions are added."""
    left_out: int
    """Tokens that there was no room for: the least frequent ones."""


@dataclass(frozen=True, eq=False)
class States:
    """Vectors of one text's tokens after each step of the embedding and of its stack."""

    side: Side
    steps: tuple[str, ...]
    """What each step is called: embedding, + positions, layer 0 and so on."""
    names: tuple[str, ...]
    """Of each step in the trace."""
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    vectors: Float[np.ndarray, "step token d_model"]
    left_out: int
    """Tokens at the end that there was no room for."""

    @property
    def flat(self) -> Float[np.ndarray, "state d_model"]:
        """All states in one list: every token of the first step, then of the next."""
        return self.vectors.reshape(-1, self.vectors.shape[-1])


def vocabulary_sides(config: TransformerConfig) -> tuple[Side, ...]:
    """List the sides that have rows of their own: one where both share them."""
    sides = stack_sides(config)
    return sides[:1] if config.tying == "all" else sides


def stack_sides(config: TransformerConfig) -> tuple[Side, ...]:
    """List the sides that a stack reads."""
    read: dict[Side, bool] = {"source": config.has_encoder, "target": config.has_decoder}
    return tuple(side for side, is_read in read.items() if is_read)


def vocabulary(
    run: Run, model: Transformer | RecordedModel, side: Side, most: int = MOST_POINTS
) -> Vocabulary:
    """Take the embeddings of one side, scaled as the model scales them.

    Where there are more than `most` tokens, those with the lowest ids, the most frequent ones, and
    those of the run's own text.
    """
    embedding = model.embedding_of(side)
    tokenizer = getattr(run.info.tokenizers, side)
    size = tokenizer.vocab_size
    ids = np.union1d(np.arange(min(size, most)), text_ids(run, side))
    weight = embedding.weight.detach().cpu().float().numpy()
    scaled = f" × √{weight.shape[1]}" if embedding.scale != 1 else ""
    return Vocabulary(
        name=f"{side}_embedding.weight{scaled}",
        ids=ids,
        tokens=tokenizer.tokens(ids.tolist()),
        vectors=weight[ids] * np.float32(embedding.scale),
        left_out=size - len(ids),
    )


def text_ids(run: Run, side: Side) -> tuple[int, ...]:
    """Return the ids that the encoder or the decoder read."""
    if side == "source":
        return run.source.ids
    return run.target_ids[:-1]


def states(run: Run, side: Side, most: int = MOST_POINTS) -> States:
    """Take the states of one text from the trace; of the first tokens where they are too many."""
    trace = run.trace
    embedding, stack = trace.embedding_of(side), trace.stack_of(side)
    prefix = "encoder" if side == "source" else "decoder"
    found = [
        (say("embeddings.step_embedding"), f"{side}_embedding.tokens", embedding.tokens),
        *_entered(run.info.config, side, embedding),
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
    """Name what the first layer reads by what was added; nothing where that is nothing."""
    added = [
        ("positions", config.has_position_vectors or config.positions == "none"),
        ("segments", bool(config.segments)),
        ("norm", config.embedding_norm),
    ]
    words = [say_of("embeddings.added", name) for name, is_there in added if is_there]
    if not words:
        return []
    said = say("embeddings.step_added", listed=", ".join(words))
    return [(said, f"{side}_embedding.output", embedding.output)]
