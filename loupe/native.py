"""Runs of models from `loupe.load`: Loupe's own, and folders that transformers runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from loupe.batches import cut, padded
from loupe.fingerprints import fingerprint
from loupe.how import How
from loupe.ids import check_ids, row_of
from loupe.records import Record, Tokens, kept
from loupe.run import Run
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.config import Side
from model.decoding.greedy import greedy
from model.edit_patterns import expanded
from model.edits import NO_EDITS, Edits
from model.foreign.huggingface import Opened, RecordedModel
from model.masks import length_mask
from model.tensor_names import tensor_names
from model.text.tokenizer import Tokenizers
from model.text.words import Words
from model.traces import TransformerTrace, present
from model.transformer import Transformer
from sample_data.tasks import task_languages

_NO_TOKEN = "a text must have at least one token, got none"
MOST_WRITTEN = 64
"""The largest number of tokens that a model writes, or twice its source if that is more."""


def as_checkpoint(model: Checkpoint | Transformer, tokenizer: object) -> Checkpoint:
    """Combine a model with its tokenizers.

    Raises TypeError if the tokenizers are not Loupe's, ValueError if they do not fit the model.
    """
    if isinstance(model, Checkpoint):
        return model
    if not isinstance(tokenizer, Tokenizers):
        raise TypeError(
            "a Loupe model needs Loupe's Tokenizers, such as a checkpoint's info.tokenizers, got "
            f"{type(tokenizer).__name__}"
        )
    info = CheckpointInfo(
        name="model",
        title="Model",
        variant="custom",
        task="",
        config=model.config,
        tokenizers=tokenizer,
    )
    return Checkpoint(info, model)


@dataclass(frozen=True)
class Reading:
    """A text as ids, and the text written from it."""

    source: tuple[int, ...] | None
    """The ids that the encoder reads; None without an encoder."""
    written: tuple[int, ...] | None
    """The decoder's ids, with a translator's last one, which it does not read; None without one."""
    tokens: Tokens
    text: str
    """The written text."""
    is_given: bool
    """Whether the target was given, rather than written by the model."""

    @property
    def rows(self) -> tuple[int, ...] | None:
        """The ids that the decoder reads; row t of a translator writes token t + 1."""
        return self.written[:-1] if self.source and self.written else self.written


def read_own(
    checkpoint: Opened,
    text: str | Tensor,
    target: str | Tensor | None = None,
    edits: Edits = NO_EDITS,
) -> Reading:
    """Read a text, or ids without change; a translation model writes or is given a target.

    Raises ValueError if the text is too long or has no token, if the model takes no target but one
    is given, or if the vocabulary lacks an id.
    """
    config, tokenizers = checkpoint.info.config, checkpoint.info.tokenizers
    is_given = target is not None and len(target) > 0
    source: tuple[int, ...] | None = None
    ids: tuple[int, ...] | None = None
    names: tuple[str, ...] = ()
    if config.has_encoder:
        tokenizers, source, names = _read_source(tokenizers, text)
        read = source
        if config.has_decoder:
            ids = _target(checkpoint, source, target, edits)
    else:
        read = ids = _read_prompt(tokenizers, text)
        if target is not None:
            ids += _ids_of(tokenizers.target, target)
    if is_given and not config.has_decoder:
        raise ValueError("this model only reads: omit the target")
    if not read:
        raise ValueError(_NO_TOKEN)
    both = Tokens(names, tokenizers.target.tokens(ids) if ids else ())
    prompt = 1 if source else len(read)
    written = tokenizers.target.decode(ids[prompt:]) if ids else ""
    return Reading(source, ids, both, written, is_given)


def _read_source(
    tokenizers: Tokenizers, text: str | Tensor
) -> tuple[Tokenizers, tuple[int, ...], tuple[str, ...]]:
    """Return the ids of a source, their names, and the tokenizers that copy its words."""
    if isinstance(text, str):
        read = tokenizers.encode_source(text)
        return tokenizers.naming(read), read.ids, read.tokens
    ids = _ids_of(tokenizers.source, text)
    return tokenizers, ids, tokenizers.source.tokens(ids)


def _read_prompt(tokenizers: Tokenizers, text: str | Tensor) -> tuple[int, ...]:
    if isinstance(text, str):
        return tokenizers.encode_prompt(text).ids
    return _ids_of(tokenizers.target, text)


def _ids_of(words: Words, text: str | Tensor) -> tuple[int, ...]:
    """Return the ids of a text without special tokens, or the given ids."""
    if isinstance(text, str):
        return words.encode(text).ids
    ids = row_of(text)
    check_ids(ids, words.vocab_size)
    return ids


def own_edits(checkpoint: Opened, edits: Edits) -> Edits:
    """Expand the patterns in edits; a recorded model expands them as it runs."""
    if not isinstance(checkpoint, Checkpoint):
        return edits
    return expanded(edits, tensor_names(checkpoint.model.config))


def run_own(
    model: Transformer | RecordedModel, reading: Reading, edits: Edits = NO_EDITS, copies: int = 1
) -> TransformerTrace:
    """Run a model on several copies of a text, each a row of the batch."""
    rows = (_row(ids, model) for ids in (reading.source, reading.rows))
    source, target = (None if ids is None else ids.expand(copies, -1) for ids in rows)
    if isinstance(model, Transformer):
        return model(source, target, edits=edits)
    return model(source, target, edits=edits, numbered=True)


def trace_own(checkpoint: Opened, reading: Reading, how: How) -> Run:
    """Run a model on a text."""
    trace = run_own(checkpoint.model, reading, how.edits)
    return run_of_record(checkpoint, reading, kept(trace, how.keep))


def trace_own_together(checkpoint: Checkpoint, texts: Sequence[Reading], how: How) -> list[Run]:
    """Run a model on several texts in one pass."""
    model, config = checkpoint.model, checkpoint.info.config
    source, real_source = _together([x.source for x in texts], model)
    target, real_target = _together([x.rows for x in texts], model)
    trace = model(
        source,
        target,
        source_mask=None if source is None else real_source & model.source_mask(source),
        target_mask=None if target is None else real_target & model.target_mask(target),
    )
    record = kept(trace, how.keep)
    last: Side = "target" if config.has_decoder else "source"
    runs = []
    for row, reading in enumerate(texts):
        lengths: dict[Side, int] = {
            "source": len(reading.source or ()),
            "target": len(reading.rows or ()),
        }
        runs.append(run_of_record(checkpoint, reading, cut(record, row, lengths, last)))
    return runs


def run_of_record(checkpoint: Opened, reading: Reading, record: Record) -> Run:
    """Return the run of a text whose tensors are already recorded."""
    is_own = isinstance(checkpoint, Checkpoint)
    return Run(
        record=record,
        tokens=reading.tokens,
        model=checkpoint.info.called,
        origin="own" if is_own else "transformers",
        differs=0.0 if is_own else checkpoint.model.differs,
        compared=is_own,
        text=reading.text,
        given=reading.is_given,
        languages=task_languages(checkpoint.info.task),
        anatomy=checkpoint.anatomy,
        task=checkpoint.info.task,
        best_head=checkpoint.info.best_head,
        missing={} if is_own else checkpoint.model.missing,
        fingerprint=fingerprint(checkpoint.model),
    )


def write_own(model: Opened, text: str | Tensor, edits: Edits, most: int | None) -> str:
    """Generate greedily: the continuation of a text, or a translator's translation.

    Raises ValueError if the text has no token or fills the positions, if the model cannot write, or
    if an edit names an unknown tensor.
    """
    tokenizers, config = model.info.tokenizers, model.info.config
    edits = own_edits(model, edits)
    if config.has_encoder and config.has_decoder:
        tokenizers, source, _ = _read_source(tokenizers, text)
        if not source:
            raise ValueError(_NO_TOKEN)
        return tokenizers.target.decode(_target(model, source, None, edits, most)[1:])
    prompt = read_own(model, text).rows
    if prompt is None:
        raise ValueError("this model cannot write: it has no decoder")
    longest = len(prompt) - 1 + (MOST_WRITTEN if most is None else most)
    return tokenizers.target.decode(_greedy(model, None, prompt, longest, edits)[len(prompt) :])


def _target(
    checkpoint: Opened,
    source: tuple[int, ...],
    target: str | Tensor | None,
    edits: Edits,
    most: int | None = None,
) -> tuple[int, ...]:
    """Return the ids of the given target, or the ids that the model writes."""
    start = present(checkpoint.info.tokenizers.target.specials.start)
    if isinstance(target, Tensor):
        return _ids_of(checkpoint.info.tokenizers.target, target)
    if target:
        return checkpoint.info.tokenizers.encode_target(target).ids
    most = max(MOST_WRITTEN, 2 * len(source)) if most is None else most
    return _greedy(checkpoint, source, (start,), most, edits)


def _greedy(
    checkpoint: Opened,
    source: tuple[int, ...] | None,
    given: tuple[int, ...],
    longest: int,
    edits: Edits,
) -> tuple[int, ...]:
    """Return the given ids and those with which the model continues them.

    Stops after a number of new ids, or earlier if learned positions run out.
    """
    ends = checkpoint.info.tokenizers.target.specials.ends
    longest = checkpoint.info.config.within_positions(longest)
    row = _row(source, checkpoint.model)
    if not isinstance(checkpoint, Checkpoint):
        return checkpoint.model.write(
            row, given, most=longest + 1, end=ends, edits=edits, numbered=True
        )
    steps = greedy(
        checkpoint.model,
        row,
        max_length=longest,
        prefix=given[1:],
        prompt=len(given) - 1,
        bos_id=given[0],
        eos_id=ends,
        edits=edits,
    )
    return (given[0], *(step.token for step in steps))


def _together(
    texts: Sequence[tuple[int, ...] | None], model: Transformer
) -> tuple[Int[Tensor, "batch longest"] | None, Bool[Tensor, "batch 1 longest"]]:
    """Stack several texts, if there are any, and return a mask that hides the padding."""
    rows = [row for ids in texts if (row := _row(ids, model)) is not None]
    real = length_mask([row.size(1) for row in rows] or [0], device=model.device)
    return padded(rows, model.config.pad_id) if rows else None, real


def _row(ids: tuple[int, ...] | None, model: Transformer | RecordedModel) -> Tensor | None:
    return None if ids is None else torch.tensor([ids], device=model.device)
