"""A training small enough for a page: it reverses digits, in half a minute of one core."""

import random
from dataclasses import dataclass
from typing import NamedTuple

from model.checkpoints.metadata import CheckpointInfo
from model.presets import preset
from model.text.corpus import Example, make_example
from model.text.tokenizer import Tokenizers
from model.training.loop import Recipe, Trainer, new_model
from sample_data.digits import carry_out
from sample_data.pairs import Pair
from sample_data.tasks import is_held_out
from texts import say

TASK = "digits"
SHORTEST = 3
"""The number of digits of the shortest command."""
PAIRS = 5000
HELD_OUT = 100
SIZES = {"d_model": 32, "d_ff": 128, "n_heads": 4, "n_encoder_layers": 1, "n_decoder_layers": 1}
BATCH_SIZE = 64


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to train, and for how long."""

    longest: int = 8
    """The number of digits of the longest command."""
    steps: int = 2500
    warmup: int = 400
    factor: float = 1.0
    seed: int = 0
    snapshot_every: int = 50
    """The number of steps between two evaluations of the model."""

    @property
    def name(self) -> str:
        """Return the name of the checkpoint."""
        return f"reverse-live-seed-{self.seed}"

    @property
    def recipe(self) -> Recipe:
        """Return the plan in the trainer's form."""
        return Recipe(
            steps=self.steps,
            batch_size=BATCH_SIZE,
            warmup=self.warmup,
            factor=self.factor,
            seed=self.seed,
        )


class Corpus(NamedTuple):
    """The commands on which a plan trains, and those on which it evaluates."""

    tokenizers: Tokenizers
    training: tuple[Example, ...]
    held_out: tuple[Example, ...]
    shown: Example
    """The command whose attention is shown; the model is not trained on it."""


def make_corpus(plan: Plan) -> Corpus:
    """Make the commands of a plan, equal at each call; no held-out command is trained on."""
    shown = shown_pair(plan)
    rng = random.Random(plan.seed)
    pairs: dict[str, Pair] = {}
    while len(pairs) < PAIRS:
        length = rng.randint(SHORTEST, plan.longest)
        pair = carry_out("reverse", rng.choices("0123456789", k=length))
        pairs[pair.source] = pair
    pairs.pop(shown.source, None)
    training = [pair for pair in pairs.values() if not is_held_out(pair.source)]
    held_out = [pair for pair in pairs.values() if is_held_out(pair.source)][:HELD_OUT]
    tokenizers = Tokenizers.train(
        [pair.source for pair in training],
        [pair.target for pair in training],
        source_kind="word",
        target_kind="word",
        shared=True,
    )
    return Corpus(
        tokenizers,
        tuple(_encode(tokenizers, pair) for pair in training),
        tuple(_encode(tokenizers, pair) for pair in held_out),
        _encode(tokenizers, shown),
    )


def shown_pair(plan: Plan) -> Pair:
    """Make a command of the longest kind: the digits of pi."""
    return carry_out("reverse", list("31415926"[: plan.longest]))


def make_trainer(plan: Plan, corpus: Corpus) -> tuple[Trainer, CheckpointInfo]:
    """Make the model with its initial weights, and the checkpoint's description of it."""
    config = preset(
        "paper",
        **SIZES,
        source_vocab_size=corpus.tokenizers.source.vocab_size,
        target_vocab_size=corpus.tokenizers.target.vocab_size,
    )
    info = CheckpointInfo(
        name=plan.name,
        title=say("training.model_title", longest=plan.longest),
        variant="paper",
        task=TASK,
        config=config,
        tokenizers=corpus.tokenizers,
    )
    return Trainer(new_model(config, plan.seed), corpus.training, plan.recipe), info


def _encode(tokenizers: Tokenizers, pair: Pair) -> Example:
    return make_example(tokenizers, pair.source, pair.target, pair.alignment)
