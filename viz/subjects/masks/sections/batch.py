"""The sentences of the batch, and the one in view."""

import streamlit as st

from sample_data.tasks import TASKS
from texts import say
from viz.address.address import bound
from viz.frame.link_choices import choose_one
from viz.frame.source_texts import default_source
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.masks.batch import MAX_SENTENCES, MIN_SENTENCES, LabBatch
from viz.subjects.masks.report import batch_table

SENTENCE = "sentence"
"""The key of the choice of a sentence, which counts them from 1."""
_TEXTS = "batch"
"""The key of the field that holds the sentences, one on each line."""
_EXAMPLES = 3
_MOST_CHARACTERS = 4000


def choose_texts(view: View) -> tuple[str, ...]:
    """Let the reader type sentences; at first, the one in view and shorter examples."""
    task = TASKS.get(view.run.info.task)
    others = [e for e in task.examples if e != view.run.source_text] if task else []
    shorter = sorted(others, key=len)[:: max(1, len(others) // 2)]
    own = view.run.source_text
    ending = default_source(view.run.info) if view.run.anatomy.translates else _begun(own)
    usual = "\n".join([own, *shorter, ending][:_EXAMPLES])[:_MOST_CHARACTERS]
    with st.popover(say("masks.change_batch")):
        written = st.text_area(
            say("masks.batch", least=MIN_SENTENCES, most=MAX_SENTENCES),
            key=bound(_TEXTS, usual, longest=_MOST_CHARACTERS),
            height="content",
            max_chars=_MOST_CHARACTERS,
        )
    return tuple(line.strip() for line in written.splitlines() if line.strip())


def _begun(text: str) -> str:
    """Return the first half of a text, so that there is a shorter one to pad."""
    words_of_it = text.split()
    half = " ".join(words_of_it[: (len(words_of_it) + 1) // 2])
    return half if len(words_of_it) > 1 else text


def choose_sentence(batch: LabBatch) -> int:
    """Let the reader choose a sentence of the batch; at first the one typed above."""
    st.html(tokens.note(say("masks.sentence")), width="content")
    numbers = range(1, len(batch.lengths) + 1)
    return choose_one(say("masks.sentence_in_view"), numbers, key=SENTENCE, is_named=False) - 1


def sentence_in_view() -> int:
    """Return the chosen sentence, in a callback."""
    return (st.session_state[SENTENCE] or 1) - 1


def put_in_view(sentence: int) -> None:
    """Choose a sentence, in a callback."""
    st.session_state[SENTENCE] = sentence + 1


def show_batch(batch: LabBatch, sentence: int) -> None:
    """Show the padded batch, with the sentence in view highlighted."""
    st.html(batch_table(batch, sentence))
