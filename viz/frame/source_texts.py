"""The texts that a model reads: the first one in the field, and the length limit."""

from typing import TYPE_CHECKING

from model.text.normalised import MAX_CHARACTERS
from sample_data.one_text.tasks import any_task

if TYPE_CHECKING:
    from model.checkpoints.metadata import CheckpointInfo

LONGEST_TYPED = 5 * MAX_CHARACTERS
"""Most characters in the field. It accepts a text that is too long to run, to be shortened."""
FIRST_TEXTS = {
    "translates": "The house is small.",
    "writes": "The cat sat on the mat because",
    "reads": "The cat sat on the mat.",
}
"""The first text for a third-party model, by its kind."""


def default_source(info: "CheckpointInfo") -> str:
    """Return the task's first example; for a task without examples, the most frequent words."""
    if task := any_task(info.task):
        return task.examples[0]
    if not info.task:
        return _first_text(info)
    vocabulary = info.tokenizers.source.vocabulary
    between = " " if info.tokenizers.source.kind == "word" else ""
    return between.join(sorted(vocabulary, key=vocabulary.__getitem__)[:5])


def _first_text(info: "CheckpointInfo") -> str:
    """Return a text for a third-party model, with a masked word if the model can guess it."""
    config, known = info.config, info.tokenizers.source
    if config.has_decoder:
        return FIRST_TEXTS["translates" if config.has_encoder else "writes"]
    mask = known.specials.mask
    text = FIRST_TEXTS["reads"]
    return text if mask is None else text.replace("mat", known.token(mask))
