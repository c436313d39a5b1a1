"""What stands below the selected head: its stages, every head in numbers, and BertViz."""

import streamlit as st

from viz.pictures import tokens
from viz.pictures.framed import show_document
from viz.pictures.panels import Panel, show_panels
from viz.run import session
from viz.run.link import select
from viz.run.record import attention_name, axis_tokens
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.attention.bertviz_size import View as BertvizView
from viz.subjects.attention.bertviz_size import frame_height, too_large, views_for
from viz.subjects.attention.bertviz_view import bertviz_html
from viz.subjects.attention.head_table import show_head_table
from viz.subjects.attention.stages import attention_stages

_OPENED = "head_table_opened"
"""The row of the table that was opened last: it stays selected when another head is chosen."""
STAGES, TABLE, BERTVIZ = "Stage by stage", "Every head in numbers", "BertViz"


def show_sections(view: View, selection: Selection) -> None:
    """Let one section be opened, and draw only that one."""
    chosen = st.segmented_control(
        "Below",
        (STAGES, TABLE, BERTVIZ),
        default=STAGES,
        required=True,
        key="below",
        bind="query-params",
        label_visibility="collapsed",
    )
    if chosen == STAGES:
        show_stages(view, selection)
    elif chosen == TABLE:
        show_table(view)
    else:
        show_bertviz(view, selection)


def show_stages(view: View, selection: Selection) -> None:
    """Show equation 1 as five matrices of the selected head, which share the pointer."""
    run, kind = view.run, selection.kind
    stages = attention_stages(
        run, kind, selection.layer, selection.head, selection.query, selection.key
    )
    first_query, first_key = stages.first
    rows, columns = stages.scores.shape
    queries, keys = axis_tokens(run, kind)
    queries = queries[first_query : first_query + rows]
    keys = keys[first_key : first_key + columns]
    path = attention_name(kind, selection.layer).removesuffix(".weights")
    head = f"[{selection.head}]"
    common = {
        "group": kind,
        "row_tokens": queries,
        "column_tokens": keys,
        "row_title": "query",
        "column_title": "key",
        "first": stages.first,
    }
    mixed = {"group": kind, "first": stages.first, "column_title": "dimension"}
    st.html(tokens.heading("From queries and keys to the mix of values", code=f"{path}.*{head}"))
    show_panels(
        (
            Panel(title="1  q · k", code="QKᵀ", values=stages.products, scale="signed", **common),
            Panel(
                title=f"2  ÷ √{stages.d_k}",
                code=f"scores{head}",
                values=stages.scores,
                scale="signed",
                **common,
            ),
            Panel(
                title=f"3  mask: {int(stages.hidden.sum())} cells hidden",
                code=f"fill {run.info.config.mask_fill:g}".replace("inf", "∞").replace("-", "−"),
                values=stages.masked,
                scale="signed",
                masked=stages.hidden,
                **common,
            ),
            Panel(
                title="4  softmax of each row",
                code=f"weights{head}",
                values=stages.weights,
                scale="weights",
                masked=stages.hidden & (stages.weights == 0),
                **common,
            ),
            Panel(
                title="5  values of the keys",
                code=f"value{head}",
                values=stages.values,
                scale="signed",
                axes=("key", "dimension"),
                row_tokens=keys,
                row_title="key",
                **mixed,
            ),
            Panel(
                title="6  weights × values",
                code=f"heads{head}",
                values=stages.mix,
                scale="signed",
                axes=("query", "dimension"),
                row_tokens=queries,
                row_title="query",
                **mixed,
            ),
        ),
        key="stages",
        width=285,
        height=320,
        selects=True,
    )
    whole = axis_tokens(run, kind)
    if (rows, columns) != (len(whole[0]), len(whole[1])):
        st.html(
            tokens.note(
                f"Queries {first_query} to {first_query + rows - 1} and keys {first_key} to "
                f"{first_key + columns - 1}, around the selected cell; each mix is over all keys."
            )
        )


def show_table(view: View) -> None:
    """Show what every head does, in numbers and in a word; a row opens its head."""
    chosen = show_head_table(session.head_summary(view.inputs), key="head_table")
    before = st.session_state.get(_OPENED)
    st.session_state[_OPENED] = chosen
    if chosen not in (None, before):
        kind, layer, head = chosen
        select({"kind": kind, "layer": layer, "head": head})
        st.rerun(scope="fragment")


def show_bertviz(view: View, selection: Selection) -> None:
    """Show one of BertViz' views of the selected kind, in a frame that can reach nothing."""
    name: BertvizView = st.segmented_control(
        "View of BertViz",
        views_for(selection.kind),
        default="head",
        required=True,
        key="bertviz_view",
    )
    st.html(
        tokens.note(
            f"All layers of {selection.kind}, drawn by BertViz 1.4 from the weights of this run: "
            "on the left the tokens that read (queries), on the right those that are read (keys). "
            "Its neuron view is made for self-attention, where both are one sequence."
        )
    )
    if problem := too_large(view.run, selection.kind, name):
        st.html(tokens.notice("Too large for BertViz", problem))
        return
    document = bertviz_html(
        view.run,
        selection.kind,
        name,
        layer=selection.layer,
        head=selection.head,
        dark=st.context.theme.type == "dark",
    )
    show_document(document, height=frame_height(view.run, selection.kind, name))
