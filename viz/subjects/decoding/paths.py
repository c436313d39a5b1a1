"""Paths of a decoding: the model's own, and the branches that take another token somewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import torch
from torch import Tensor

from model.beam import BeamStep, beam, best_hypothesis, path
from model.config import TransformerConfig
from model.decoding import DecodingStep, greedy, sample, score
from model.tokenizer import EOS_ID
from model.transformer import Transformer
from viz.run.record import MAX_WRITTEN, Run, max_tokens
from viz.subjects.decoding.strategy import MAX_FORKS, Branch, Fork, Strategy


@dataclass(frozen=True, eq=False)
class DecodedPath:
    """A target, step by step, and the search that found it if there was one."""

    branch: Branch
    steps: tuple[DecodingStep, ...]
    search: tuple[BeamStep, ...] = ()
    """Empty where no beam was searched."""
    hypothesis: int | None = None
    """Id of the hypothesis in the search that this path is."""

    @property
    def ids(self) -> tuple[int, ...]:
        """Ids that were written, without `<s>`."""
        return tuple(step.token for step in self.steps)

    @property
    def total(self) -> float:
        """Log-probability of all that is written, given the source."""
        return sum(step.log_probability for step in self.steps)

    @property
    def finished(self) -> bool:
        """Whether the model ended it with `</s>`."""
        return self.ids[-1] == EOS_ID


def source_ids(run: Run, device: str) -> Tensor:
    """Give the run's source as a batch of one."""
    return torch.tensor([run.source.ids], device=device)


def longest_path(run: Run, prefix_length: int = 0) -> int:
    """Give the most tokens that a path may have after so many forced ones."""
    wanted = max(MAX_WRITTEN, 2 * len(run.source.ids), prefix_length + MAX_WRITTEN // 2)
    return min(max_tokens(run.info.config), wanted)


def decode_path(
    run: Run, model: Transformer, strategy: Strategy, branch: Branch = (), device: str = "cpu"
) -> DecodedPath:
    """Decode by the strategy; at each fork take its token instead, and decode on.

    Raises ValueError on a fork at a step, or with a token, that the path before it lacks.
    """
    found = _decode(run, model, strategy, (), device)
    for fork in branch:
        _check_fork(found, fork, run.info.config)
        prefix = (*found.ids[: fork.step], fork.token)
        found = _decode(run, model, strategy, prefix, device)
    return replace(found, branch=branch)


def hypothesis_path(
    run: Run, model: Transformer, found: DecodedPath, hypothesis: int, device: str = "cpu"
) -> DecodedPath:
    """Take another hypothesis of a path's search instead of the best one.

    Raises ValueError where the search has no such hypothesis.
    """
    ids = path(found.search, hypothesis)
    # Only where its token is forced does a step list a single hypothesis.
    forced = sum(len(step.hypotheses) == 1 for step in found.search)
    steps = score(model, source_ids(run, device), ids, edits=run.edits)
    steps = tuple(
        _in_beam(run, model, found.search, replace(step, forced=step.index < forced))
        for step in steps
    )
    return DecodedPath(found.branch, steps, found.search, hypothesis)


def branch_to(find: Callable[[Branch], DecodedPath], wanted: Sequence[int]) -> Branch:
    """Find the forks whose path begins with the wanted ids; `find` decodes a branch.

    Raises ValueError where that takes more forks than a branch may have.
    """
    branch: Branch = ()
    while len(branch) <= MAX_FORKS:
        ids = find(branch).ids
        step = next((i for i, id in enumerate(wanted) if ids[i : i + 1] != (id,)), None)
        if step is None:
            return branch
        branch = (*branch, Fork(step, wanted[step]))
    raise ValueError(f"a branch takes at most {MAX_FORKS} tokens against the model's choice")


def differing(base: Sequence[int], path: DecodedPath) -> tuple[bool, ...]:
    """Mark the ids of a path that the base does not have in that order, and those of its forks."""
    ids = path.ids
    different = [True] * len(ids)
    for block in SequenceMatcher(a=base, b=ids, autojunk=False).get_matching_blocks():
        different[block.b : block.b + block.size] = [False] * block.size
    for fork in path.branch:
        different[fork.step] = True
    return tuple(different)


def read_together(steps: Sequence[DecodingStep], *, causal: bool) -> tuple[int, ...]:
    """Count, for each step, the positions that were read once its pass was done.

    Steps whose pass began with the same cache are rows of one pass. Without a causal mask every
    step is a pass of its own.
    """
    if not causal:
        return tuple(step.index + 1 for step in steps)
    ends = {step.cached_positions: step.index + 1 for step in steps}
    return tuple(ends[step.cached_positions] for step in steps)


def _check_fork(found: DecodedPath, fork: Fork, config: TransformerConfig) -> None:
    if not fork.step < len(found.steps):
        raise ValueError(f"a step must be from 0 to {len(found.steps) - 1}, got {fork.step}")
    if not fork.token < config.target_vocab_size:
        raise ValueError(
            f"a token must be from 0 to {config.target_vocab_size - 1}, got {fork.token}"
        )


def _decode(
    run: Run, model: Transformer, strategy: Strategy, prefix: tuple[int, ...], device: str
) -> DecodedPath:
    if not prefix and _is_the_run(run, strategy):
        return DecodedPath((), run.steps)
    source = source_ids(run, device)
    longest = longest_path(run, len(prefix))
    if strategy.mode == "Beam" and len(prefix) < longest:
        return _search(run, model, strategy, prefix, device)
    if len(prefix) >= longest or prefix[-1:] == (EOS_ID,):
        # Nothing is left to write, so the last token is not read either.
        return DecodedPath((), score(model, source, prefix, edits=run.edits))
    if strategy.mode == "Sampling":
        steps = sample(
            model,
            source,
            temperature=strategy.shaping.temperature,
            top_k=strategy.shaping.top_k or None,
            top_p=strategy.shaping.top_p,
            seed=strategy.seed,
            max_length=longest,
            prefix=prefix,
            edits=run.edits,
        )
    else:
        steps = greedy(model, source, max_length=longest, prefix=prefix, edits=run.edits)
    return DecodedPath((), tuple(steps))


def _is_the_run(run: Run, strategy: Strategy) -> bool:
    return strategy.mode == ("Given" if run.given else "Greedy")


def _search(
    run: Run, model: Transformer, strategy: Strategy, prefix: tuple[int, ...], device: str
) -> DecodedPath:
    search = tuple(
        beam(
            model,
            source_ids(run, device),
            width=strategy.width,
            length_penalty=strategy.length_penalty,
            max_length=longest_path(run, len(prefix)),
            prefix=prefix,
            edits=run.edits,
        )
    )
    found = DecodedPath((), (), search)
    return hypothesis_path(run, model, found, best_hypothesis(search).id, device)


def _in_beam(
    run: Run, model: Transformer, search: tuple[BeamStep, ...], step: DecodingStep
) -> DecodingStep:
    """Say of a step what the cache of the whole beam held when its pass began."""
    config = run.info.config
    if step.index == 0 or not run.is_causal:
        return step
    live = sum(h.kept and not h.finished for h in search[step.index - 1].hypotheses)
    positions = step.index + len(run.source.ids)
    size = next(model.parameters()).element_size()
    numbers = config.n_decoder_layers * config.n_heads * (config.d_k + config.d_v) * positions
    return replace(step, cached_positions=step.index, cache_bytes=live * numbers * size)
