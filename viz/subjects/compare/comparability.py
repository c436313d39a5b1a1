"""Which parts of two runs can be compared."""

from typing import NamedTuple

from sample_data.tasks import task_languages
from texts import say
from viz.run.axes import layer_count
from viz.run.record import Run
from viz.subjects.compare import words
from viz.subjects.compare.outputs import share_vocabulary


class Shared(NamedTuple):
    """The parts of two runs that can be compared."""

    heads: bool
    """Whether their layers and tokens correspond, so that heads can be compared."""
    states: bool
    """Whether both are runs of one model, so that their vectors have the same coordinates."""
    outputs: bool
    """Whether both have the same tokens of output."""
    why_not: str
    """The explanation if heads cannot be compared."""


def what_is_shared(a: Run, b: Run, *, one_model: bool) -> Shared:
    """Describe which parts of two runs can be compared."""
    languages = task_languages(a.info.task), task_languages(b.info.task)
    if a.anatomy.names != b.anatomy.names:
        return Shared(
            heads=False, states=False, outputs=False, why_not=say("compare.other_anatomy")
        )
    kinds = a.anatomy.names
    depths = [tuple(layer_count(run.info.config, kind) for kind in kinds) for run in (a, b)]
    tokens = [(r.info.tokenizers.source.kind, r.info.tokenizers.target.kind) for r in (a, b)]
    heads = languages[0] == languages[1] and depths[0] == depths[1] and tokens[0] == tokens[1]
    layers = (_depth(a), _depth(b)) if depths[0] != depths[1] else None
    return Shared(
        heads=heads,
        states=one_model,
        outputs=heads and bool(a.steps) and share_vocabulary(a, b),
        why_not="" if heads else words.not_shared(languages, layers),
    )


def _depth(run: Run) -> str:
    config = run.info.config
    return words.layer_words(config.n_encoder_layers, config.n_decoder_layers, config.n_heads)
