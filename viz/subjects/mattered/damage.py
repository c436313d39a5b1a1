"""Ablation in one sentence: the loss without each part of the model, and the text then written."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from model.attribution.ablation import rewrite, sweep
from model.attribution.cuts import Means
from model.attribution.sublayers import Cut, How, Part, parts
from model.transformer import Transformer
from viz.run.record import Run, guesses
from viz.run.text_diff import Stretch, rewording, swaps

_ROOM = 8
"""The number of tokens beyond the text without a cut after which a text is broken off."""


@dataclass(frozen=True)
class Loss:
    """The effect of cutting one part."""

    part: Part
    damage: float
    """The rise of the loss per target token, in nats; negative if the part was harmful."""
    text: str
    """The resulting text."""
    stretches: tuple[Stretch, ...]
    swaps: tuple[tuple[str, str], ...]
    """The words that replaced the others."""

    @property
    def changed(self) -> bool:
        """Whether another text is written."""
        return bool(self.swaps)


@dataclass(frozen=True)
class Losses:
    """The effects of cutting each part, in the order of the model."""

    how: How
    loss: float
    """The mean loss with all parts, in nats per target token."""
    text: str
    """The text that the model writes with all parts."""
    of: tuple[Loss, ...]

    def by_damage(self) -> tuple[Loss, ...]:
        """List the effects again, the largest first."""
        return tuple(sorted(self.of, key=lambda loss: -loss.damage))


def measure_losses(run: Run, model: Transformer, how: How, means: Means | None = None) -> Losses:
    """Cut each part in turn, once with the run's target forced and once with free decoding.

    For a model of one text, the text then written is the likeliest token of each row after the
    unchanged text: in a decoder after its prompt, in an encoder at hidden words or at every
    position.
    """
    hidden = {guess.position: guess.id for guess in guesses(run)}
    cuts: list[Cut] = [(), *((part,) for part in parts(model.config, how))]
    found = sweep(
        model, run.source.ids, run.target_ids, cuts, how, means, base=run.edits, hidden=hidden
    )
    loss, *losses = found.losses.tolist()
    if run.anatomy.translates:
        length = len(run.steps) + _ROOM
        ends = {"bos_id": run.target_ids[0], "eos_id": run.info.tokenizers.target.specials.ends}
        written = rewrite(
            model, run.source.ids, cuts, how, means, max_length=length, base=run.edits, **ends
        )
        own, *others = [_text(run, ids) for ids in written]
    else:
        own, *others = [_guessed(run, ids, hidden) for ids in found.best.tolist()]
    return Losses(
        how=how,
        loss=loss,
        text=own,
        of=tuple(
            Loss(cut[0], one - loss, text, rewording(own, text), swaps(own, text))
            for cut, one, text in zip(cuts[1:], losses, others, strict=True)
        ),
    )


def _guessed(run: Run, best: Sequence[int], hidden: Collection[int]) -> str:
    """Write the likeliest tokens; those of hidden words into the text."""
    if not hidden:
        return run.info.tokenizers.target.decode(best[run.n_prompt :])
    ids = [best[at] if at in hidden else read for at, read in enumerate(run.source.ids)]
    return run.info.tokenizers.source.decode(ids)


def _text(run: Run, ids: Sequence[int]) -> str:
    written = run.info.tokenizers.target.decode(ids)
    ends = run.info.tokenizers.target.specials.ends
    return written if ids and ids[-1] in ends else f"{written} …"
