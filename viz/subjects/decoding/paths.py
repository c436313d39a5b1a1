"""Paths of a decoding: the model's own, and branches that take another token at some step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from model.config import TransformerConfig
from model.decoding.beam import BeamStep, beam, best
from model.decoding.greedy import greedy, sample, score
from model.decoding.steps import DecodingStep
from texts import say
from viz.run.making import source_ids
from viz.run.record import MAX_CONTINUED, MAX_WRITTEN, Run, max_tokens
from viz.subjects.decoding.strategy import MAX_FORKS, Branch, Fork, Strategy

if TYPE_CHECKING:  # only for types
    from model.transformer import Transformer


@dataclass(frozen=True, eq=False)
class DecodedPath:
    """A target, step by step, and the search that found it if there was one."""

    branch: Branch
    steps: tuple[DecodingStep, ...]
    search: tuple[BeamStep, ...] = ()
    """The beam's hypotheses; empty without a beam."""
    n_prompt: int = 0
    """The number of steps whose token is of a prompt. They are forced and do not count."""
    ends: tuple[int, ...] = ()
    """The ids that each end the text of the model."""

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of all steps without `<s>`, including those of a prompt."""
        return tuple(step.token for step in self.steps)

    @property
    def written(self) -> tuple[int, ...]:
        """The written ids, after a prompt."""
        return self.ids[self.n_prompt :]

    @property
    def total(self) -> float:
        """The log-probability of all written tokens, given the source or the prompt."""
        return sum(step.log_probability for step in self.steps[self.n_prompt :])

    @property
    def finished(self) -> bool:
        """Whether the model ended the text with `</s>`."""
        return len(self.ids) > self.n_prompt and self.ids[-1] in self.ends


def prompt_ids(run: Run) -> tuple[int, ...]:
    """Return the ids with which every path begins after `<s>`: none with an encoder."""
    return run.target_ids[1 : 1 + run.n_prompt]


def longest_path(run: Run, prefix_length: int = 0) -> int:
    """Return the largest number of tokens that a path may have after some forced ones."""
    if run.info.config.has_encoder:
        wanted = max(MAX_WRITTEN, 2 * len(run.source.ids), prefix_length + MAX_WRITTEN // 2)
    else:
        wanted = max(run.n_prompt, prefix_length) + MAX_CONTINUED
    return min(max_tokens(run.info.config), wanted)


def decode_path(
    run: Run, model: "Transformer", strategy: Strategy, branch: Branch = ()
) -> DecodedPath:
    """Decode by the strategy; at each fork take its token instead, and continue from there.

    Raises ValueError if the path before a fork lacks its step or its token.
    """
    found = _own_path(run, model, strategy)
    for fork in branch:
        _check_fork(found, fork, run.info.config)
        prefix = (*found.ids[: fork.step], fork.token)
        found = _decode(run, model, strategy, prefix)
    return replace(found, branch=branch)


def branch_to(find: Callable[[Branch], DecodedPath], wanted: Sequence[int]) -> Branch:
    """Find the forks whose path begins with the wanted ids; `find` decodes a branch.

    Raises ValueError if that takes more forks than a branch may have.
    """
    branch: Branch = ()
    while len(branch) <= MAX_FORKS:
        ids = find(branch).ids
        step = next((i for i, id in enumerate(wanted) if ids[i : i + 1] != (id,)), None)
        if step is None:
            return branch
        branch = (*branch, Fork(step, wanted[step]))
    raise ValueError(say("decoding.too_many_forks", most=MAX_FORKS))


def _check_fork(found: DecodedPath, fork: Fork, config: TransformerConfig) -> None:
    if not fork.step < len(found.steps):
        raise ValueError(say("decoding.no_such_step", most=len(found.steps) - 1, step=fork.step))
    if not fork.token < config.target_vocab_size:
        most = config.target_vocab_size - 1
        raise ValueError(say("decoding.no_such_token", most=most, token=fork.token))


def _own_path(run: Run, model: "Transformer", strategy: Strategy) -> DecodedPath:
    if _is_the_run(run, strategy):
        return _path_of(run, run.steps)
    return _decode(run, model, strategy, prompt_ids(run))


def _path_of(run: Run, steps: tuple[DecodingStep, ...]) -> DecodedPath:
    """Make a path from steps, with the part of a prompt with which they begin."""
    prompt = _shared([step.token for step in steps], prompt_ids(run))
    return DecodedPath((), steps, n_prompt=prompt, ends=_ends(run))


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Count the equal ids at the beginning of two texts."""
    different = (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(different, min(len(one), len(other)))


def _ends(run: Run) -> tuple[int, ...]:
    return run.info.tokenizers.target.specials.ends


def _decode(
    run: Run, model: "Transformer", strategy: Strategy, prefix: tuple[int, ...]
) -> DecodedPath:
    source = source_ids(run, model)
    begin, ends = run.target_ids[0], _ends(run)
    longest = longest_path(run, len(prefix))
    if strategy.mode == "Beam" and len(prefix) < longest:
        return _search(run, model, strategy, prefix)
    prompt = _shared(prefix, prompt_ids(run))
    if len(prefix) >= longest or (len(prefix) > prompt and prefix[-1] in ends):
        # Nothing remains to be written, so the last token is not read.
        return _path_of(run, score(model, source, prefix, bos_id=begin, edits=run.edits))
    shaping = strategy.shaping
    drawn = partial(
        sample,
        temperature=shaping.temperature,
        top_k=shaping.top_k or None,
        top_p=shaping.top_p,
        seed=strategy.seed,
    )
    write = drawn if strategy.mode == "Sampling" else greedy
    steps = write(
        model,
        source,
        max_length=longest,
        prefix=prefix,
        prompt=prompt,
        bos_id=begin,
        eos_id=ends,
        edits=run.edits,
    )
    return _path_of(run, tuple(steps))


def _is_the_run(run: Run, strategy: Strategy) -> bool:
    return strategy.mode == ("Given" if run.given else "Greedy")


def _search(
    run: Run, model: "Transformer", strategy: Strategy, prefix: tuple[int, ...]
) -> DecodedPath:
    begin, ends = run.target_ids[0], _ends(run)
    prompt = _shared(prefix, prompt_ids(run))
    search = tuple(
        beam(
            model,
            source_ids(run, model),
            width=strategy.width,
            length_penalty=strategy.length_penalty,
            max_length=longest_path(run, len(prefix)),
            prefix=prefix,
            prompt=prompt,
            bos_id=begin,
            eos_id=ends,
            edits=run.edits,
        )
    )
    # A step lists a single hypothesis only if its token is forced.
    forced = sum(len(step.hypotheses) == 1 for step in search)
    steps = score(model, source_ids(run, model), best(search), bos_id=begin, edits=run.edits)
    steps = tuple(
        _in_beam(run, model, search, replace(step, forced=step.index < forced)) for step in steps
    )
    return DecodedPath((), steps, search, n_prompt=prompt, ends=_ends(run))


def _in_beam(
    run: Run, model: "Transformer", search: tuple[BeamStep, ...], step: DecodingStep
) -> DecodingStep:
    """Return the contents of the whole beam's cache when a step's pass began."""
    config = run.info.config
    if step.index == 0 or not run.is_causal:
        return step
    live = sum(h.kept and not h.finished for h in search[step.index - 1].hypotheses)
    positions = step.index + len(run.texts["source"])
    size = next(model.parameters()).element_size()
    heads = config.n_decoder_layers * config.key_value_heads
    numbers = heads * (config.d_k + config.d_v) * positions
    return replace(step, cached_positions=step.index, cache_bytes=live * numbers * size)
