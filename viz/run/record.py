"""One run of the model: its inputs, its text, and all activations on the way."""

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

if TYPE_CHECKING:
    from model.checkpoints.metadata import CheckpointInfo

MAX_TOKENS = 512
"""In a source, and in a given target."""
MAX_WRITTEN = 64
"""Most tokens that a model writes, or twice the source's length if that is more."""
MAX_CONTINUED = 16
"""Most tokens that a decoder-only model writes after its prompt."""


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that a page may draw. All sessions share it, so it must not be changed."""

    info: "CheckpointInfo"
    """The checkpoint's, but its target tokenizer shows the words that this source copies."""
    anatomy: Anatomy
    """The parts of the model."""
    source_text: str
    """The text as it was typed."""
    source: Encoding
    """The encoded text: the input of the encoder or, without one, the prompt of the decoder."""
    steps: tuple[DecodingStep, ...]
    """One for each row of the decoder, including those of a prompt; empty without a decoder."""
    target_ids: tuple[int, ...]
    """From `<s>` to `</s>`, or to the last token if the text reached its limit; without an encoder,
    from the first token of the prompt. Empty without a decoder."""
    target_tokens: tuple[str, ...]
    """The names of the target ids."""
    text: str
    """The written text, for people."""
    given: bool
    """Whether the target was given, rather than decoded."""
    trace: TransformerTrace
    """The pass over the target but its last token, on the CPU: row t wrote target token t + 1."""
    n_prompt: int = 0
    """Number of steps whose token belongs to the prompt."""
    precision: str | None = None
    """The model's type of numbers, if it is less precise than float32."""
    edits: Edits = NO_EDITS
    """The changes as functions; `interventions` describes them."""
    interventions: tuple[Intervention, ...] = ()
    word_classes: Mapping[str, str] = field(default_factory=dict)
    """Parts of speech of the source's words, by the word in lower case, as far as known."""
    codes: Codes | None = None
    """The encoded weights for the browser, if the trace recomputes its layers."""

    @property
    def is_causal(self) -> bool:
        """Whether no row of the decoder sees a later token, so that one pass returns all rows."""
        return self.info.config.causal_mask and not self.edits.need_all_rows

    @property
    def finished(self) -> bool:
        """Whether the model ended by itself, with `</s>` or another token that ends a text."""
        ends = self.info.tokenizers.target.specials.ends
        return len(self.steps) > self.n_prompt and self.steps[-1].token in ends

    @property
    def shown_first(self) -> int:
        """Count the tokens of the prompt that the model continued by itself; 0 without a prompt."""
        return 0 if self.given or not self.n_prompt else self.n_prompt + 1

    @property
    def texts(self) -> dict[Side, tuple[str, ...]]:
        """The tokens of each text that the model reads; none of a text that it does not read."""
        has_encoder = self.info.config.has_encoder
        return {"source": self.source.tokens if has_encoder else (), "target": self.target_tokens}


class Guess(NamedTuple):
    """The guess of a model that only reads for a hidden word."""

    position: int
    id: int
    token: str
    probability: float


def max_tokens(config: TransformerConfig) -> int:
    """Return the longest sequence in a run, special tokens included; positions may limit it."""
    return config.within_positions(MAX_TOKENS)


def encode_typed(info: "CheckpointInfo", text: str) -> Encoding:
    """Encode a typed text: a source, or the prompt of a decoder-only model."""
    if info.config.has_encoder:
        return info.tokenizers.encode_source(text)
    return info.tokenizers.encode_prompt(text)


def encode_given(info: "CheckpointInfo", text: str, read: Encoding) -> Encoding:
    """Encode a given text: a target, or the continuation of a prompt."""
    if info.config.has_encoder:
        return info.tokenizers.encode_target(text, source=read)
    return info.tokenizers.target.encode(text)


def longest_written(config: TransformerConfig, read: Encoding) -> int:
    """Return how many tokens are written at most, including those of a prompt except the first."""
    limit, length = max_tokens(config), len(read.ids)
    if config.has_encoder:
        return min(limit, max(MAX_WRITTEN, 2 * length))
    return min(limit, length - 1 + MAX_CONTINUED)


def guesses(run: Run) -> tuple[Guess, ...]:
    """Return the most probable token at each masked position of a source."""
    mask = run.info.tokenizers.source.specials.mask
    logits = run.trace.logits
    if run.anatomy.predicts != "source" or logits is None or mask is None:
        return ()
    found = [(at, logits[0, at].softmax(-1)) for at, i in enumerate(run.source.ids) if i == mask]
    name = run.info.tokenizers.source.token
    ids = [int(p.argmax()) for _, p in found]
    return tuple(Guess(at, i, name(i), float(p[i])) for i, (at, p) in zip(ids, found, strict=True))


def is_finite(run: Run) -> bool:
    """Return whether the outputs of the stacks and the predictions are all finite."""
    stacks = [stack.output for stack in (run.trace.encoder, run.trace.decoder) if stack]
    logits = None if run.steps else run.trace.logits
    stated = [value for step in run.steps for value in (step.log_probability, step.entropy)]
    outputs = stacks if logits is None else [*stacks, logits]
    return all(map(math.isfinite, stated)) and all(bool(o.isfinite().all()) for o in outputs)


def probability(step: DecodingStep) -> float:
    """Return the probability of the token that a step wrote."""
    return math.exp(step.log_probability)
