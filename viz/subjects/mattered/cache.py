"""Results of ablation and patching, computed once for each run."""

from model.attribution.patching import Contest, Patching, contest, patch, patch_mean
from model.attribution.sublayers import How
from model.attribution.text_patching import text_cells
from model.text.encoding import Encoding
from sample_data.tasks import TASKS
from texts import say
from viz.models.averages import averages
from viz.run.view import View, per_view
from viz.subjects.mattered.damage import Losses, measure_losses
from viz.subjects.mattered.pairing import suggest
from viz.subjects.mattered.text_pairs import many_pairs, one_pair, suggest_text

LONGEST_PATCHED = 60
"""The largest number of tokens of a patched sentence; the time grows with its square."""


def has_average(view: View) -> bool:
    """Return whether there are other sentences to average over."""
    return view.run.info.task in TASKS and view.run.anatomy.translates


@per_view
def losses(view: View, how: How) -> Losses:
    """Cut each part of a run's model in turn, once."""
    means = averages(view.checkpoint, view.stamp) if how == "mean" else None
    return measure_losses(view.run, view.model, how, means)


def without_changes(view: View) -> View:
    """Return the same run without changes, for the comparison."""
    return view.beside(view.inputs.unchanged) if view.inputs.interventions else view


@per_view
def suggestion(view: View) -> str:
    """Find a sentence to compare with; return "" if none is found."""
    return suggest(view.checkpoint, view.run) or ""


def encoding_of(view: View, text: str) -> Encoding:
    """Encode another sentence. Raises ValueError if it is too long, or has no words."""
    encoding = view.run.info.tokenizers.encode_source(text)
    for ids in (encoding.ids, view.run.source.ids):
        if len(ids) > LONGEST_PATCHED:
            most = LONGEST_PATCHED
            raise ValueError(say("mattered.too_long_to_patch", most=most, count=len(ids)))
    if len(encoding.ids) == 1:
        raise ValueError(say("mattered.no_words"))
    return encoding


@per_view
def sentence_contest(view: View, text: str) -> Contest:
    """Align a sentence with that of a run, once. Raises PatchingError."""
    return contest(
        view.model,
        view.run.source.ids,
        encoding_of(view, text).ids,
        bos_id=view.run.target_ids[0],
        eos_id=view.run.info.tokenizers.target.specials.ends,
    )


@per_view
def patching(view: View, text: str) -> Patching:
    """Patch every cell of a run into that of another sentence, once. Raises PatchingError."""
    return patch(view.model, sentence_contest(view, text))


@per_view
def text_suggestion(view: View) -> str:
    """Find a text to compare with; return "" if none is found."""
    return suggest_text(view.checkpoint, view.run)


@per_view
def text_contests(view: View, other: str, many: str) -> tuple[Contest, ...]:
    """Align a text with another one, or read typed pairs of texts, once.

    Raises ValueError if they cannot be compared.
    """
    checkpoint = view.checkpoint
    if many.strip():
        return many_pairs(checkpoint, many)
    return one_pair(checkpoint, view.run, other)


@per_view
def text_patching(view: View, other: str, many: str) -> Patching:
    """Patch every cell of the first texts into the others, once. Raises ValueError."""
    contests = text_contests(view, other, many)
    cells = text_cells(view.run.info.config, len(contests[0].clean))
    return patch_mean(view.model, contests, cells)
