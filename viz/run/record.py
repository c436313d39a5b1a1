"""One run of the model: what went in, what it wrote, and all that it computed on the way."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from model.anatomy import SITE_NAMES, Anatomy, SiteName, attention_in
from model.checkpoints.checkpoint import Checkpoint, CheckpointInfo
from model.config import Side, TransformerConfig
from model.decoding.greedy import DecodingStep, greedy, score, steps_of
from model.edits import NO_EDITS, Edits
from model.interventions.kinds import Intervention, Material, edits_of
from model.memory.stream import RecomputedTrace, is_streamed, trace_stream
from model.recompute import on_cpu
from model.text.encoding import Encoding
from model.text.normalised import printable
from model.traces import AttentionTrace, TransformerTrace, present
from model.transformer import Encoded, Transformer
from viz.run.codes import Codes

AttentionKind = SiteName
KINDS: tuple[AttentionKind, ...] = SITE_NAMES
"""Of an encoder-decoder; a model has those that its anatomy names."""

AxisText = tuple[Side, int]
"""A text, and the token of it with which an axis begins."""
RowName = Literal["reads", "writes"]
"""What a row is named after: the token that reads, or the one that is written from it."""

MAX_TOKENS = 512
"""Of a source, and of a given target."""
MAX_WRITTEN = 64
"""Tokens that a model writes at most, or twice its source where that is more."""
MAX_CONTINUED = 16
"""Tokens that a decoder alone writes at most after its prompt."""


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that a page may draw. Shared by all sessions, so nobody changes it."""

    info: CheckpointInfo
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


def encode_typed(info: CheckpointInfo, text: str) -> Encoding:
    """Encode the text that a person types: a source, or the prompt of a decoder alone."""
    if info.config.has_encoder:
        return info.tokenizers.encode_source(text)
    return info.tokenizers.encode_prompt(text)


def encode_given(info: CheckpointInfo, text: str, read: Encoding) -> Encoding:
    """Encode a text that is to be written: a target, or what goes on from a prompt."""
    if info.config.has_encoder:
        return info.tokenizers.encode_target(text, source=read)
    return info.tokenizers.target.encode(text)


def make_run(
    checkpoint: Checkpoint,
    text: str,
    target: str = "",
    interventions: tuple[Intervention, ...] = (),
    material: Material | None = None,
) -> Run:
    """Run a text: translate or continue it greedily, or force what is given; trace it in one pass.

    It runs where the model is, and the trace is on the processor.

    Each step, and the trace, is of the model as the interventions change it. Raises ValueError
    where a text has too many tokens or none, and on an intervention that cannot be made.
    """
    info, model = checkpoint.info, checkpoint.model
    text, target = printable(text), printable(target)  # as they are read
    read, prompt, given = encode_texts(info, text, target)
    source = torch.tensor([read.ids], device=model.device) if info.config.has_encoder else None
    edits = edits_of(interventions, model, material)
    encoded = None if source is None or given else _read(model, source, edits)
    steps = _written(info, model, source, read, prompt, given, edits, encoded)
    forced = tuple(step.token for step in steps) if steps else (*prompt[1:], *given)
    ids = (*prompt[:1], *forced)
    trace, codes = _trace(checkpoint, source, ids, edits, encoded)
    if ids and not steps:
        steps = _forced_steps(model, source, ids, trace, edits)
    if isinstance(trace, RecomputedTrace):
        steps = tuple(replace(s, row=partial(trace.logit_row, s.index)) for s in steps)
    named = info.tokenizers.naming(read)
    return Run(
        info=info if named is info.tokenizers else replace(info, tokenizers=named),
        anatomy=checkpoint.anatomy,
        source_text=text,
        source=read,
        steps=steps,
        target_ids=ids,
        target_tokens=named.target.tokens(ids),
        text=named.target.decode(ids[len(prompt) :]),
        given=bool(given),
        trace=trace,
        n_prompt=len(prompt) - 1 if steps else 0,
        precision=model.precision,
        edits=edits,
        interventions=interventions,
        codes=codes,
    )


def _written(
    info: CheckpointInfo,
    model: Transformer,
    source: Tensor | None,
    read: Encoding,
    prompt: tuple[int, ...],
    given: tuple[int, ...],
    edits: Edits,
    encoded: Encoded | None,
) -> tuple[DecodingStep, ...]:
    """Let the model write; nothing where it cannot, or where all is given or as long as may be."""
    if not info.config.has_decoder or given or len(prompt) >= max_tokens(info.config):
        return ()
    return tuple(
        greedy(
            model,
            source,
            max_length=longest_written(info.config, read),
            prefix=prompt[1:],
            prompt=len(prompt) - 1,
            bos_id=prompt[0],
            eos_id=info.tokenizers.target.specials.ends,
            edits=edits,
            encoded=encoded,
        )
    )


def encode_texts(
    info: CheckpointInfo, text: str, target: str
) -> tuple[Encoding, tuple[int, ...], tuple[int, ...]]:
    """Return the text as it is read, the ids with which a target begins, and those that are given.

    Raises ValueError where a text has too many tokens or none, and where nobody said how to begin.
    """
    read = encode_typed(info, text)
    prompt = _prompt_of(info, read)
    given = encode_given(info, target, read).ids if target and info.config.has_decoder else ()
    if info.config.has_encoder:
        given = given[1:]
    _check_lengths(info.config, read, prompt, given)
    return read, prompt, given


def _prompt_of(info: CheckpointInfo, read: Encoding) -> tuple[int, ...]:
    """Return what is there before the model writes: the text, or the id that a target begins with.

    Raises ValueError where a model reads a text to write another, and nobody said how to begin.
    """
    if not info.config.has_encoder:
        return read.ids
    if not info.config.has_decoder:
        return ()
    start = info.tokenizers.target.specials.start
    if start is None:
        raise ValueError(
            "Loupe does not know the token with which this model begins to write: the folder's "
            "config.json needs decoder_start_token_id"
        )
    return (start,)


def _check_lengths(
    config: TransformerConfig, read: Encoding, prompt: tuple[int, ...], given: tuple[int, ...]
) -> None:
    """Raise ValueError on a text with no token, or with more than are run."""
    if not read.ids:
        raise ValueError("a text must have at least one token, got none")
    limit = max_tokens(config)
    written = given if config.has_encoder else (*prompt, *given)
    for side, length in (("source", len(read.ids)), ("target", len(written))):
        if length > limit:
            raise ValueError(f"a {side} has at most {limit} tokens, got {length}")


def longest_written(config: TransformerConfig, read: Encoding) -> int:
    """Count how many tokens are written at most, those of a prompt but its first included."""
    limit, length = max_tokens(config), len(read.ids)
    if config.has_encoder:
        return min(limit, max(MAX_WRITTEN, 2 * length))
    return min(limit, length - 1 + MAX_CONTINUED)


def _forced_steps(
    model: Transformer,
    source: Tensor | None,
    ids: tuple[int, ...],
    trace: TransformerTrace,
    edits: Edits,
) -> tuple[DecodingStep, ...]:
    # Without a causal mask, the trace has seen the tokens that its rows predict.
    if model.config.causal_mask and not edits.need_all_rows:
        return steps_of(present(trace.logits)[0], ids[1:])
    return score(model, source, ids[1:], bos_id=ids[0], edits=edits)


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


def layer_count(config: TransformerConfig, kind: AttentionKind) -> int:
    """Count the layers that have this kind of attention."""
    if kind == "encoder self-attention":
        return config.n_encoder_layers
    return config.n_decoder_layers


def attention_trace(run: Run, kind: AttentionKind, layer: int) -> AttentionTrace:
    """Find one multi-head attention of a run. Raises LookupError where the model has none such."""
    return attention_in(run.trace, kind, layer)


def attention_name(kind: AttentionKind, layer: int) -> str:
    """Name its weights as the trace does."""
    stack = "encoder" if kind == "encoder self-attention" else "decoder"
    attention = "cross_attn" if kind == "cross-attention" else "self_attn"
    return f"{stack}.layers.{layer}.{attention}.weights"


def axis_tokens(run: Run, kind: AttentionKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the rows and the columns of one kind of attention."""
    texts = run.texts
    return name_axes(kind, texts["source"], texts["target"], run.anatomy.site(kind).rows)


def name_axes(
    kind: AttentionKind,
    source: tuple[str, ...],
    target: tuple[str, ...],
    named: RowName = "writes",
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the rows and the columns by tokens; the target is from `<s>` to the last one written."""
    texts = {"source": (source, len(source)), "target": (target, len(target) - 1)}
    rows, columns = (
        texts[side][0][first : first + texts[side][1]] for side, first in axis_texts(kind, named)
    )
    return rows, columns


def axis_texts(kind: AttentionKind, named: RowName = "writes") -> tuple[AxisText, AxisText]:
    """Return of which text the rows and the columns are, and with which of its tokens they begin.

    A decoder row that is named after the token that it writes has a text that begins after `<s>`;
    the keys of decoder self-attention are the tokens that are already there.
    """
    written: AxisText = ("target", 1 if named == "writes" else 0)
    rows: AxisText = ("source", 0) if kind == "encoder self-attention" else written
    columns: AxisText = ("target", 0) if kind == "decoder self-attention" else ("source", 0)
    return rows, columns


def source_ids(run: Run, model: Transformer) -> Tensor | None:
    """Return the source as a batch of one, where the model is; None where no encoder reads it."""
    if not run.info.config.has_encoder:
        return None
    return torch.tensor([run.source.ids], device=model.device)


def all_heads(run: Run, kind: AttentionKind) -> Float[np.ndarray, "layer head query key"]:
    """Stack the weights of every head of one kind."""
    layers = range(layer_count(run.info.config, kind))
    return torch.cat([attention_trace(run, kind, layer).weights for layer in layers]).numpy()


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


@torch.inference_mode()
def _read(model: Transformer, source: Tensor, edits: Edits) -> Encoded | None:
    """Encode a source once, for its decoding and for its trace; None of one that is not kept."""
    return None if is_streamed(model, source.size(1), 0) else model.encode(source, edits=edits)


@torch.inference_mode()
def _trace(
    checkpoint: Checkpoint,
    source: Tensor | None,
    ids: tuple[int, ...],
    edits: Edits,
    encoded: Encoded | None,
) -> tuple[TransformerTrace, Codes | None]:
    model = checkpoint.model
    target = torch.tensor([ids[:-1]], device=model.device) if ids else None
    read, rows = 0 if source is None else source.size(1), max(len(ids) - 1, 0)
    if not is_streamed(model, read, rows):
        return on_cpu(model(source, target, edits=edits, encoded=encoded)), None
    codes = Codes(checkpoint.anatomy.sites, source=read, target=rows)
    return trace_stream(model, source, target, edits=edits, look=codes.take), codes
