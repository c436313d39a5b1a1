"""Decoding step by step (section 3.1 of the paper: the model is auto-regressive)."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.decoding.distribution import (
    check_sampling,
    draw,
    sampling_distribution,
)
from model.decoding.reader import Reader, Task
from model.decoding.steps import DecodingStep, step_of
from model.edits import NO_EDITS, Edits
from model.writing import ending

if TYPE_CHECKING:
    from model.transformer import Encoded, Transformer


def greedy(
    model: "Transformer",
    source: Int[Tensor, "batch source"] | None,
    *,
    max_length: int = 64,
    prefix: Sequence[int] = (),
    prompt: int = 0,
    bos_id: int = 1,
    eos_id: int | Collection[int] | None = 2,
    edits: Edits = NO_EDITS,
    use_cache: bool = True,
    encoded: "Encoded | None" = None,
) -> Iterator[DecodingStep]:
    """Write the most probable token at each step; each step is computed on request.

    Ends after `eos_id`, or after `max_length` tokens. Without a causal mask, earlier positions
    change with each new token, so every step runs the whole target so far, without a cache.

    Args:
        model: The model, in evaluation mode; otherwise dropout acts.
        source: The ids of one sentence (a batch of 1); None for a decoder-only model.
        max_length: The largest number of tokens, including the prefix.
        prefix: Forced ids after `<s>`. Their steps are yielded as well; a forced `eos_id` ends the
            decoding.
        prompt: The number of ids of the prefix that were read rather than written. An `eos_id`
            among them does not end the decoding, and a folder's rules do not count them as written.
        bos_id: The id of `<s>`, with which the target begins; for a prompt, its first id.
        eos_id: The id of `</s>`, or several ids that each end the decoding. None, or an id that the
            vocabulary lacks, never ends it.
        edits: Edits, which see the positions of one pass: with a cache, only new positions. An
            `OnRows` finds its own among them.
        use_cache: Whether to use a cache; edits that count positions need every step to run the
            whole target so far.
        encoded: The result of `model.encode` for the source and these edits, to save its time.

    Raises:
        ValueError: At the call, if a source, prefix, length or edit cannot be decoded.
    """
    ends = ending(eos_id)
    task = Task(
        model, source, tuple(prefix), max_length, bos_id, ends, edits, use_cache, encoded, prompt
    )
    return _steps(task, _most_probable)


def sample(
    model: "Transformer",
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
    """Draw each token from `sampling_distribution`; otherwise as in `greedy`.

    The same seed draws the same tokens. A forced step also uses up its draw, so a sample whose
    first tokens are given as a prefix continues as before.
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
    model: "Transformer",
    source: Int[Tensor, "batch source"] | None,
    target_ids: Sequence[int],
    *,
    bos_id: int = 1,
    edits: Edits = NO_EDITS,
) -> tuple[DecodingStep, ...]:
    """Force a whole target, given without `<s>`, with one step for each of its ids.

    This takes one pass of the decoder, or one for each step without a causal mask, so that no step
    sees its own token. The log-probabilities sum to that of the target, given the source.
    """
    if not len(target_ids):
        raise ValueError("target_ids must hold at least one id, got none")
    task = Task(model, source, tuple(target_ids), len(target_ids), bos_id, None, edits, True)
    return tuple(_steps(task, _most_probable))


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
        yield step_of(
            index,
            token,
            forced,
            rows[index],
            cache_bytes=began.n_bytes if began else 0,
            cached_positions=began.length if began else 0,
        )
        if index >= task.prompt and token in (task.ends or ()):
            return


def _most_probable(logits: Float[Tensor, " target_vocab"]) -> int:
    return int(logits.argmax())
