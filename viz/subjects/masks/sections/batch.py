"""The sentences of the batch, and the one in view."""

import streamlit as st

from sample_data.tasks import TASKS
from viz.frame.controls import default_source
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.masks import words
from viz.subjects.masks.batch import LabBatch
from viz.subjects.masks.report import batch_table

SENTENCE = "sentence"
"""Key of the choice of a sentence, which a leak may make too."""
_EXAMPLES = 3
_MOST_CHARACTERS = 4000


def choose_texts(view: View) -> tuple[str, ...]:
    """Let the sentences be typed; to begin with, the one in view and shorter examples."""
    task = TASKS.get(view.run.info.task)
    others = [e for e in task.examples if e != view.run.source_text] if task else []
    shorter = sorted(others, key=len)[:: max(1, len(others) // 2)]
    texts = [view.run.source_text, *shorter, default_source(view.run.info)][:_EXAMPLES]
    with st.popover(words.CHANGE_BATCH):
        written = st.text_area(
            words.BATCH,
            "\n".join(texts)[:_MOST_CHARACTERS],
            key="batch",
            bind="query-params",
            height="content",
            max_chars=_MOST_CHARACTERS,
        )
    return tuple(line.strip() for line in written.splitlines() if line.strip())


def choose_sentence(batch: LabBatch) -> int:
    """Let one of the batch's sentences be put in view."""
    numbers = range(len(batch.source_lengths))
    return st.segmented_control(
        words.SENTENCE,
        numbers,
        default=len(numbers) - 1,
        required=True,
        format_func=words.sentence_name,
        key=SENTENCE,
        label_visibility="collapsed",
    )


def show_batch(batch: LabBatch, sentence: int) -> None:
    """Show the padded batch, with the sentence in view lit."""
    st.html(tokens.note(words.BATCH_READ) + batch_table(batch, sentence))
