"""Decoding step by step (section 3.1 of the paper: the model is auto-regressive)."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.decoder import DecoderCache
from model.decoding.distribution import (
    best_first,
    check_sampling,
    draw,
    log_softmax,
    sampling_distribution,
)
from model.decoding.reader import Reader, Task
from model.edits import NO_EDITS, Edits
from model.transformer import Encoded, Transformer
from model.writing import ending


@dataclass(frozen=True)
class Candidate:
    """One token that a step could write."""

    token: int
    probability: float
    log_probability: float
    rank: int
    """0 for the most probable."""


@dataclass(frozen=True, eq=False)
class DecodingStep:
    """One token written, and what the model said about it."""

    index: int
    """0 for the first token after `<s>`."""
    token: int
    forced: bool
    """The token was given, not chosen."""
    row: Float[Tensor, " target_vocab"] | Callable[[], Float[Tensor, " target_vocab"]]
    """Its logits, or what computes them again."""
    log_probability: float
    """Of `token`, under the softmax of the logits."""
    entropy: float
    """Of that softmax, in nats."""
    cache_bytes: int
    """What the cache held when the pass that gave this step began: 0 for a first pass, which reads
    the whole given prefix, and where no cache is used."""
    cached_positions: int

    @property
    def logits(self) -> Float[Tensor, " target_vocab"]:
        """The generator's row that predicts this token, before any temperature, on the CPU."""
        return self.row if isinstance(self.row, Tensor) else self.row()

    @property
    def probabilities(self) -> Float[Tensor, " target_vocab"]:
        """Softmax of the logits."""
        return self.logits.softmax(dim=-1)

    @property
    def rank(self) -> int:
        """How many tokens the model put before `token`: 0 where it is the model's own choice."""
        logits = self.logits
        mine = logits[self.token]
        before = int((logits > mine).sum())
        return before + int((logits[: self.token] == mine).sum())

    def candidates(self, n: int = 10) -> tuple[Candidate, ...]:
        """List the n most probable tokens, best first, the lower id first among equals."""
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        logits = self.logits
        tokens = best_first(logits, n)
        log_probabilities = log_softmax(logits)[tokens]
        values = zip(
            tokens.tolist(),
            log_probabilities.exp().tolist(),
            log_probabilities.tolist(),
            strict=True,
        )
        return tuple(Candidate(*value, rank=rank) for rank, value in enumerate(values))


def greedy(
    model: Transformer,
    source: Int[Tensor, "batch source"] | None,
    *,
    max_length: int = 64,
    prefix: Sequence[int] = (),
    prompt: int = 0,
    bos_id: int = 1,
    eos_id: int | Collection[int] | None = 2,
    edits: Edits = NO_EDITS,
    use_cache: bool = True,
    encoded: Encoded | None = None,
) -> Iterator[DecodingStep]:
    """Write the most probable token at each step, each computed when it is asked for.

    Ends after `eos_id`, or after `max_length` tokens. Without a causal mask earlier positions
    change with each new token, so no cache can be used: every step runs the whole target so far.

    Args:
        model: In eval mode, else dropout acts.
        source: Ids of one sentence (a batch of 1); None where the decoder stands alone.
        max_length: Most tokens to write, those of the prefix included.
        prefix: Ids after `<s>` that are forced. Their steps are yielded too; a forced `eos_id` ends
            the decoding.
        prompt: How many of the prefix were read rather than written: an `eos_id` among them ends
            nothing, and the rules of a folder do not count them as written.
        bos_id: Id of `<s>`, with which the target begins; of a prompt, its first.
        eos_id: Id of `</s>`, or several of which each ends the decoding. None, or one that the
            vocabulary lacks, never ends it.
        edits: Each sees the positions of one pass, with a cache only those that it lacks; `OnRows`
            finds its own among them.
        use_cache: False runs the whole target so far at each step, for edits that count positions.
        encoded: What `model.encode` gave of the source under these edits, not to be computed again.

    Raises:
        ValueError: At once, on a source, prefix, length or edit that cannot be decoded.
    """
    ends = ending(eos_id)
    task = Task(
        model, source, tuple(prefix), max_length, bos_id, ends, edits, use_cache, encoded, prompt
    )
    return _steps(task, _most_probable)


def sample(
    model: Transformer,
    source: Int[Tensor, "batch source"] | None,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    max_length: int = 64,
    prefix: Sequence[int] = (),
    prompt: int = 0,
    bos_id: int = 1,
    eos_id: int | Collection[int] | None = 2,
    edits: Edits = NO_EDITS,
    use_cache: bool = True,
) -> Iterator[DecodingStep]:
    """Draw each token from `sampling_distribution`; for the rest as `greedy`.

    The same seed draws the same tokens. A forced step uses its draw up too, so a sample whose first
    tokens are given back as a prefix goes on as it did.
    """
    ends = ending(eos_id)
    task = Task(
        model, source, tuple(prefix), max_length, bos_id, ends, edits, use_cache, prompt=prompt
    )
    check_sampling(temperature=temperature, top_k=top_k, top_p=top_p)
    generator = torch.Generator().manual_seed(seed)

    def choose(logits: Float[Tensor, " target_vocab"]) -> int:
        probabilities = sampling_distribution(
            logits, temperature=temperature, top_k=top_k, top_p=top_p
        )
        return draw(probabilities, generator)

    return _steps(task, choose)


def score(
    model: Transformer,
    source: Int[Tensor, "batch source"] | None,
    target_ids: Sequence[int],
    *,
    bos_id: int = 1,
    edits: Edits = NO_EDITS,
) -> tuple[DecodingStep, ...]:
    """Force a whole target, given without `<s>`: one step for each of its ids.

    One pass of the decoder; without a causal mask one for each step, so that no step sees its own
    token. The sum of the log-probabilities is that of the target, given the source.
    """
    if not len(target_ids):
        raise ValueError("target_ids must hold at least one id, got none")
    task = Task(model, source, tuple(target_ids), len(target_ids), bos_id, None, edits, True)
    return tuple(_steps(task, _most_probable))


def steps_of(
    logits: Float[Tensor, "target target_vocab"], target_ids: Sequence[int]
) -> tuple[DecodingStep, ...]:
    """Return the steps of a forced target whose logits are known: row t predicts its id t.

    Equals `score` where a causal mask hides later tokens from each row.
    """
    return tuple(
        _step(index, token, True, row, None)
        for index, (token, row) in enumerate(zip(target_ids, logits, strict=True))
    )


def _steps(
    task: Task, choose: Callable[[Float[Tensor, " target_vocab"]], int]
) -> Iterator[DecodingStep]:
    reader = Reader.of(task)
    ids = [task.bos_id, *task.prefix][: task.max_length]
    rows: list[Float[Tensor, " target_vocab"]] = []
    allow = task.rules()
    began = cache = None
    for index in range(task.max_length):
        if index == len(rows):
            began = cache
            known = ids if task.caches else ids[: index + 1]
            logits, cache = reader.read([known], cache, rows=len(known) - index)
            rows.extend(logits[0])
        written = torch.tensor([ids[: index + 1]])
        chosen = choose(allow(rows[index][None], written)[0])
        forced = index < len(task.prefix)
        token = task.prefix[index] if forced else chosen
        if not forced:
            ids.append(token)
        yield _step(index, token, forced, rows[index], began)
        if index >= task.prompt and token in (task.ends or ()):
            return


@torch.inference_mode()
def _step(
    index: int,
    token: int,
    forced: bool,
    logits: Float[Tensor, " target_vocab"],
    cache: DecoderCache | None,
) -> DecodingStep:
    log_probabilities = log_softmax(logits)
    return DecodingStep(
        index=index,
        token=token,
        forced=forced,
        row=logits,
        log_probability=log_probabilities[token].item(),
        entropy=torch.special.entr(log_probabilities.exp()).sum().item(),
        cache_bytes=cache.n_bytes if cache else 0,
        cached_positions=cache.length if cache else 0,
    )


def _most_probable(logits: Float[Tensor, " target_vocab"]) -> int:
    return int(logits.argmax())
