"""One run of the model: what went in, what it wrote, and all that it computed on the way."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from model.anatomy import Anatomy
from model.config import Side, TransformerConfig
from model.decoding.steps import DecodingStep
from model.edits import NO_EDITS, Edits
from model.interventions.kinds import Intervention
from model.text.encoding import Encoding
from model.traces import TransformerTrace
from viz.run.codes import Codes

if TYPE_CHECKING:  # only types
    from model.checkpoints.metadata import CheckpointInfo

MAX_TOKENS = 512
"""Of a source, and of a given target."""
MAX_WRITTEN = 64
"""Tokens that a model writes at most, or twice its source where that is more."""
MAX_CONTINUED = 16
"""Tokens that a decoder alone writes at most after its prompt."""


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that a page may draw. Shared by all sessions, so nobody changes it."""

    info: "CheckpointInfo"
    """Of the checkpoint, but for this: its target shows the words that this source carries over."""
    anatomy: Anatomy
    """What the model has."""
    source_text: str
    """As typed."""
    source: Encoding
    """The text as typed: what the encoder reads or, where there is none, what the decoder goes on
    from."""
    steps: tuple[DecodingStep, ...]
    """One for each row of the decoder, those of a prompt included; none without a decoder."""
    target_ids: tuple[int, ...]
    """From `<s>` to `</s>`, or to the last token where the length ran out first; with no encoder
    from the first of the prompt. Empty without a decoder."""
    target_tokens: tuple[str, ...]
    """The same by their names."""
    text: str
    """What was written, for people."""
    given: bool
    """Whether the target was given, rather than decoded."""
    trace: TransformerTrace
    """Of the finished target but its last token, on the CPU: row t wrote target token t + 1."""
    n_prompt: int = 0
    """Steps whose token is of the prompt, not written."""
    precision: str | None = None
    """Type of the numbers that the model computed, where it is shorter than float32."""
    edits: Edits = NO_EDITS
    """What was changed in the model; `interventions` in words."""
    interventions: tuple[Intervention, ...] = ()
    word_classes: Mapping[str, str] = field(default_factory=dict)
    """The parts of speech of its source's words, in small letters, as far as they are known."""
    codes: Codes | None = None
    """Its weights as the browser gets them, where layers have to be computed again for them."""

    @property
    def is_causal(self) -> bool:
        """Whether no row of the decoder sees a later token, so that one pass gives them all."""
        return self.info.config.causal_mask and not self.edits.need_all_rows

    @property
    def finished(self) -> bool:
        """Whether the model itself ended, by writing `</s>` or another token that ends a text."""
        ends = self.info.tokenizers.target.specials.ends
        return len(self.steps) > self.n_prompt and self.steps[-1].token in ends

    @property
    def shown_first(self) -> int:
        """Count the tokens of a prompt that the model went on from by itself; 0 without one."""
        return 0 if self.given or not self.n_prompt else self.n_prompt + 1

    @property
    def texts(self) -> dict[Side, tuple[str, ...]]:
        """The tokens of each text that the model reads; of one that it does not read, none."""
        has_encoder = self.info.config.has_encoder
        return {"source": self.source.tokens if has_encoder else (), "target": self.target_tokens}


class Guess(NamedTuple):
    """What a model that only reads makes of a hidden word."""

    position: int
    id: int
    token: str
    probability: float


def max_tokens(config: TransformerConfig) -> int:
    """Return the longest sequence that is run, with special tokens: learned positions may end."""
    return config.within_positions(MAX_TOKENS)


def encode_typed(info: "CheckpointInfo", text: str) -> Encoding:
    """Encode the text that a person types: a source, or the prompt of a decoder alone."""
    if info.config.has_encoder:
        return info.tokenizers.encode_source(text)
    return info.tokenizers.encode_prompt(text)


def encode_given(info: "CheckpointInfo", text: str, read: Encoding) -> Encoding:
    """Encode a text that is to be written: a target, or what goes on from a prompt."""
    if info.config.has_encoder:
        return info.tokenizers.encode_target(text, source=read)
    return info.tokenizers.target.encode(text)


def longest_written(config: TransformerConfig, read: Encoding) -> int:
    """Count how many tokens are written at most, those of a prompt but its first included."""
    limit, length = max_tokens(config), len(read.ids)
    if config.has_encoder:
        return min(limit, max(MAX_WRITTEN, 2 * length))
    return min(limit, length - 1 + MAX_CONTINUED)


def guesses(run: Run) -> tuple[Guess, ...]:
    """Return the most probable token of each place of a source that holds the mask."""
    mask = run.info.tokenizers.source.specials.mask
    logits = run.trace.logits
    if run.anatomy.predicts != "source" or logits is None or mask is None:
        return ()
    found = [(at, logits[0, at].softmax(-1)) for at, i in enumerate(run.source.ids) if i == mask]
    name = run.info.tokenizers.source.token
    ids = [int(p.argmax()) for _, p in found]
    return tuple(Guess(at, i, name(i), float(p[i])) for i, (at, p) in zip(ids, found, strict=True))


def is_finite(run: Run) -> bool:
    """Return whether what the stacks give, and what is predicted from it, are numbers."""
    stacks = [stack.output for stack in (run.trace.encoder, run.trace.decoder) if stack]
    logits = None if run.steps else run.trace.logits
    stated = [value for step in run.steps for value in (step.log_probability, step.entropy)]
    outputs = stacks if logits is None else [*stacks, logits]
    return all(map(math.isfinite, stated)) and all(bool(o.isfinite().all()) for o in outputs)


def probability(step: DecodingStep) -> float:
    """Return the probability of the token that a step wrote."""
    return math.exp(step.log_probability)
