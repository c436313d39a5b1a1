"""How the page opens: what each variant makes of the sentence, and where a task has but one."""

import streamlit as st

from sample_data.tasks import TASKS
from texts import say
from viz.frame.controls import default_source
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run import session
from viz.run.link import forget_selection
from viz.run.view import Inputs, View
from viz.subjects.variants.cache import richest_task
from viz.subjects.variants.titles import PAPER, titled
from viz.subjects.variants.words import labels


def show_answer(view: View, names: dict[str, str]) -> None:
    """Show what each variant writes by itself for the sentence of a view."""
    written: dict[str, str] = {}
    for variant, name in names.items():
        inputs = Inputs(name, view.inputs.source, "", view.inputs.device)
        try:
            written[variant] = session.open_view(inputs).run.text
        except ValueError:
            continue
    paper = written.pop(PAPER, None)
    said = ""
    if paper is not None and written:
        said = labels.answer(paper, {titled(name): text for name, text in written.items()})
    st.html(tokens.question(say("variants.question"), explained(said)))


def view_of_richest_task(view: View) -> tuple[View, dict[str, str]] | None:
    """Run the task with most variants on its own example; None where no task has several."""
    task, names = richest_task()
    if len(names) < 2:
        return None
    name = names.get(PAPER, next(iter(names.values())))
    source = default_source(session.read_info(name))
    st.html(tokens.note(say("variants.on_another_task", task=TASKS[task].title, source=source)))
    return session.open_view(Inputs(name, source, "", view.inputs.device)), names


def offer_another_task(view: View) -> None:
    """Explain why another task was measured, and offer it: the one that has most variants."""
    task, names = richest_task()
    info = view.run.info
    own = TASKS[info.task].title if info.task in TASKS else info.task
    measured = TASKS[task].title if len(names) > 1 else None
    said = labels.nothing_to_compare(own, titled(info.variant), measured)
    with st.container(gap="xsmall"):
        st.html(tokens.notice(say("variants.one_variant"), said))
        if measured is not None:
            st.button(
                say("variants.go_to", task=measured, count=len(names)),
                key="variants_other_task",
                on_click=_switch,
                args=(next(iter(names.values())),),
            )


def _switch(checkpoint: str) -> None:
    """Put another task's checkpoint, and its first example, into the sidebar."""
    forget_selection()
    st.session_state["checkpoint"] = checkpoint
    st.session_state["source"] = default_source(session.read_info(checkpoint))
    st.session_state["target"] = ""
