"""Single texts as ids: their predictable tokens, and the batches for training."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jaxtyping import Int
from torch import Tensor

from model.text.corpus import Order, pad
from model.text.tokenizer import PAD_ID

MASKED_SHARE = 0.15
"""The share of a text's tokens that masked-word training hides (Devlin et al. 2019)."""

Choices = tuple[tuple[int, ...], ...]
"""The sets of ids between which the model has to choose for a known token."""


@dataclass(frozen=True)
class KnownToken:
    """A token that other tokens of its text determine."""

    index: int
    """The token's index among the ids of its text."""
    looks: tuple[int, ...]
    """The indices of the tokens that determine it."""
    kind: str
    choices: Choices = ()
    """The sets of ids to choose from; empty if the token can be any id."""
    right: int = 0
    """The index of the correct set, or the id itself."""


@dataclass(frozen=True)
class TextExample:
    """One text as ids, including special tokens."""

    ids: tuple[int, ...]
    known: tuple[KnownToken, ...] = ()
    mask: int | None = None
    """The id that masks a token to be predicted from all others; None if tokens are predicted from
    earlier ones."""

    @property
    def predicted(self) -> tuple[int, ...]:
        """The ids that a model learns to predict."""
        return self.ids[1:] if self.mask is None else self.ids[:-1]


class TextBatch(NamedTuple):
    """Texts padded to the longest, as a model reads them, and the ids for its rows to predict."""

    inputs: tuple[Int[Tensor, "batch position"] | None, Int[Tensor, "batch position"] | None]
    """The inputs of the encoder and of the decoder; None for a stack that the model lacks."""
    predicted: Int[Tensor, "batch position"]
    """The ids to predict; the padding id in a row that predicts nothing."""


class TextBatches:
    """Endless batches of texts of similar lengths: a pure function of seed and step."""

    def __init__(self, examples: Sequence[TextExample], *, batch_size: int, seed: int) -> None:
        lengths = [(len(example.ids),) for example in examples]
        self.examples = examples
        self.seed = seed
        self._order = Order(lengths, batch_size=batch_size, seed=seed)

    def __getitem__(self, step: int) -> TextBatch:
        """Return the batch of a training step, counted from 0."""
        chosen = [self.examples[i] for i in self._order[step]]
        if chosen[0].mask is None:
            ids = pad([example.ids for example in chosen])
            return TextBatch((None, ids[:, :-1]), ids[:, 1:])
        rng = random.Random(f"{self.seed} masked {step}")
        hidden = [_hide(example, rng) for example in chosen]
        read, predicted = (pad(side) for side in zip(*hidden, strict=True))
        return TextBatch((read, None), predicted)


def _hide(example: TextExample, rng: random.Random) -> tuple[list[int], list[int]]:
    """Mask some tokens of a text, at least one; return the input and the ids to predict."""
    count = len(example.predicted)
    masked = {i for i in range(count) if rng.random() < MASKED_SHARE} or {rng.randrange(count)}
    read = [example.mask if i in masked else id for i, id in enumerate(example.ids)]
    predicted = [id if i in masked else PAD_ID for i, id in enumerate(example.ids)]
    return [id for id in read if id is not None], predicted
