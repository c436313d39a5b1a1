"""Runs a model on a text: it translates or continues the text, and one pass is traced."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from model.config import TransformerConfig
from model.decoding.greedy import greedy, score
from model.decoding.steps import DecodingStep, steps_of
from model.edits import Edits
from model.interventions.kinds import Intervention, Material, edits_of
from model.memory.stream import RecomputedTrace, is_streamed, trace_stream
from model.recompute import on_cpu
from model.text.encoding import Encoding
from model.text.normalised import printable
from model.traces import TransformerTrace, present
from sample_data.tasks import source_classes
from viz.run.codes import Codes
from viz.run.record import Run, encode_given, encode_typed, longest_written, max_tokens

if TYPE_CHECKING:
    from model.checkpoints.checkpoint import Checkpoint
    from model.checkpoints.metadata import CheckpointInfo
    from model.transformer import Encoded, Transformer


def make_run(
    checkpoint: "Checkpoint",
    text: str,
    target: str = "",
    interventions: tuple[Intervention, ...] = (),
    material: Material | None = None,
) -> Run:
    """Translate or continue a text greedily, or force a given target, and trace it in one pass.

    It runs on the model's device; the trace is on the CPU. The interventions act on each step and
    on the trace. Raises ValueError if a text has no token or too many, and for an intervention that
    cannot be made.
    """
    info, model = checkpoint.info, checkpoint.model
    text, target = printable(text), printable(target)
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
    classes = source_classes(info.task)
    words = {token.lower() for token in read.tokens}
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
        word_classes={word: classes[word] for word in words & classes.keys()},
        codes=codes,
    )


def _written(
    info: "CheckpointInfo",
    model: "Transformer",
    source: Tensor | None,
    read: Encoding,
    prompt: tuple[int, ...],
    given: tuple[int, ...],
    edits: Edits,
    encoded: "Encoded | None",
) -> tuple[DecodingStep, ...]:
    """Let the model write; return nothing if it cannot, a target is given, or there is no room."""
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
    info: "CheckpointInfo", text: str, target: str
) -> tuple[Encoding, tuple[int, ...], tuple[int, ...]]:
    """Return the encoded text, the first ids of the target, and the ids of a given target.

    Raises ValueError if a text has no token or too many, or if the first target token is unknown.
    """
    read = encode_typed(info, text)
    prompt = _prompt_of(info, read)
    given = encode_given(info, target, read).ids if target and info.config.has_decoder else ()
    if info.config.has_encoder:
        given = given[1:]
    _check_lengths(info.config, read, prompt, given)
    return read, prompt, given


def _prompt_of(info: "CheckpointInfo", read: Encoding) -> tuple[int, ...]:
    """Return the ids before the model writes: the text, or the id with which a target begins.

    Raises ValueError if an encoder-decoder does not say with which token a target begins.
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
    """Raise ValueError if a text has no token, or more than a run may have."""
    if not read.ids:
        raise ValueError("a text must have at least one token, got none")
    limit = max_tokens(config)
    written = given if config.has_encoder else (*prompt, *given)
    for side, length in (("source", len(read.ids)), ("target", len(written))):
        if length > limit:
            raise ValueError(f"a {side} has at most {limit} tokens, got {length}")


def source_ids(run: Run, model: "Transformer") -> Tensor | None:
    """Return the source as a batch of one on the model's device; None without an encoder."""
    if not run.info.config.has_encoder:
        return None
    return torch.tensor([run.source.ids], device=model.device)


def _forced_steps(
    model: "Transformer",
    source: Tensor | None,
    ids: tuple[int, ...],
    trace: TransformerTrace,
    edits: Edits,
) -> tuple[DecodingStep, ...]:
    # Without a causal mask, the rows of the trace have seen the tokens that they predict.
    if model.config.causal_mask and not edits.need_all_rows:
        return steps_of(present(trace.logits)[0], ids[1:])
    return score(model, source, ids[1:], bos_id=ids[0], edits=edits)


@torch.inference_mode()
def _read(model: "Transformer", source: Tensor, edits: Edits) -> "Encoded | None":
    """Encode a source once, for decoding and trace; return None if the run is streamed."""
    return None if is_streamed(model, source.size(1), 0) else model.encode(source, edits=edits)


@torch.inference_mode()
def _trace(
    checkpoint: "Checkpoint",
    source: Tensor | None,
    ids: tuple[int, ...],
    edits: Edits,
    encoded: "Encoded | None",
) -> tuple[TransformerTrace, Codes | None]:
    model = checkpoint.model
    target = torch.tensor([ids[:-1]], device=model.device) if ids else None
    read, rows = 0 if source is None else source.size(1), max(len(ids) - 1, 0)
    if not is_streamed(model, read, rows):
        return on_cpu(model(source, target, edits=edits, encoded=encoded)), None
    codes = Codes(checkpoint.anatomy.sites, source=read, target=rows)
    return trace_stream(model, source, target, edits=edits, look=codes.take), codes
