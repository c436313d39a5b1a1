"""Variants: the same sentence through several models, how they differ, and what that does."""

from collections.abc import Sequence

import streamlit as st

from model.config import TransformerConfig
from sample_data.tasks import TASKS
from viz.frame.controls import choose_head, default_source, palette, show_figure
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run import session
from viz.run.link import follow_selection, forget_selection
from viz.run.parcel import axis_titles, send_run
from viz.run.record import attention_name, attention_trace, axis_tokens, layer_count
from viz.run.selection import Selection, default_selection
from viz.run.view import Inputs, View
from viz.subjects.map.picture import show_map
from viz.subjects.variants.cache import (
    checkpoints_by_variant,
    convert_and_compare,
    demonstrate,
    richest_task,
)
from viz.subjects.variants.choices import conversions
from viz.subjects.variants.demonstrations import DEMONSTRATIONS
from viz.subjects.variants.differences import blocks_that_differ, differences
from viz.subjects.variants.figures import curves
from viz.subjects.variants.tables import (
    conversion_report,
    demonstration_table,
    difference_table,
    outputs_table,
    verdict,
)

TITLE = "Variants"
URL = "variants"

_PAPER = "paper"
_MOST_TELLING = "headlist"
"""Compared with the paper's to begin with, where the checkpoint in view is the paper's."""
_MAPS_IN_A_ROW = 3
_SELECTED, _BEST = "The selected head", "The best head of each"


@st.fragment
def render(view: View) -> None:
    """Show the variants of the view's task side by side, then what each difference does."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    names = checkpoints_by_variant(view.run.info.task)
    if len(names) > 1:
        _compare(view, names, selection)
        with st.container(border=True, key="card_variants_demonstrations", gap="small"):
            _show_demonstrations(view, names)
    else:
        _offer_another_task(view)
    with st.container(border=True, key="card_variants_convert", gap="small"):
        _show_conversion(view)


def _compare(view: View, names: dict[str, str], selection: Selection) -> None:
    with st.container(border=True, key="card_variants_outputs", gap="small"):
        chosen = _choose(view, names)
        views = _open(view, {variant: names[variant] for variant in chosen})
        if len(views) < 2:
            st.html(tokens.notice("Two are needed", "Choose at least two variants to compare."))
            return
        st.html(outputs_table([v.run for v in views]))
        st.html(
            tokens.note(
                "With each token its probability. Exact match, loss and best head are those of "
                "held-out sentences, measured when the checkpoint was trained; the loss is that "
                "of the right target given to the decoder."
            )
        )
    with st.container(border=True, key="card_variants_differences", gap="small"):
        _show_differences(view, names, views)
    with st.container(border=True, key="card_variants_heads", gap="small"):
        _show_heads(view, names, views, selection)


def _choose(view: View, names: dict[str, str]) -> list[str]:
    st.html(tokens.heading("The same sentence through each"))
    own = view.run.info.variant
    other = own if own in names and own != _PAPER else _MOST_TELLING
    first = [name for name in (_PAPER, other) if name in names]
    return st.multiselect(
        "Variants",
        [*names],
        default=first if len(first) > 1 else [*names][:2],
        key="variants",
        bind="query-params",
        label_visibility="collapsed",
        placeholder="Choose two or more variants",
    )


def _open(view: View, names: dict[str, str], target: str | None = None) -> list[View]:
    """Run each checkpoint on the view's sentence; the one in view is not replaced by its twin."""
    own = view.run.info.variant
    given = view.inputs.target if target is None else target
    found: list[View] = []
    for variant, name in names.items():
        checkpoint = view.inputs.checkpoint if variant == own else name
        inputs = Inputs(checkpoint, view.inputs.source, given, view.inputs.device)
        try:
            found.append(session.open_view(inputs))
        except ValueError as error:
            st.html(tokens.notice(f"{variant} cannot run this", str(error)))
    return found


def _show_differences(view: View, names: dict[str, str], views: Sequence[View]) -> None:
    configs = {v.run.info.variant: v.run.info.config for v in views}
    paper = (
        configs.get(_PAPER) or session.read_info(names.get(_PAPER, view.inputs.checkpoint)).config
    )
    st.html(
        tokens.heading("How they differ")
        + difference_table(differences(configs, paper), [*configs])
        + tokens.note("Coloured: not as in the paper's. Read from the configs of the checkpoints.")
    )
    if st.toggle("Show where on the map", True, key="variants_maps", bind="query-params"):
        _show_maps(view, views, paper)


def _show_maps(view: View, views: Sequence[View], paper: TransformerConfig) -> None:
    columns = st.columns(min(len(views), _MAPS_IN_A_ROW))
    for number, each in enumerate(views):
        variant = each.run.info.variant
        with columns[number % _MAPS_IN_A_ROW]:
            st.html(tokens.heading(variant))
            if each.parcel.key != view.parcel.key:
                send_run(each.parcel, place=f"run_{variant}")
            show_map(
                each.run,
                each.parcel.key,
                size="small",
                lit=blocks_that_differ(each.run, paper),
                element_key=f"variants_map_{variant}",
            )


def _show_heads(
    view: View, names: dict[str, str], views: Sequence[View], selection: Selection
) -> None:
    st.html(tokens.heading("One head in each"))
    with st.container(horizontal=True, gap="large"):
        which = st.segmented_control(
            "Head",
            (_SELECTED, _BEST),
            default=_SELECTED,
            required=True,
            key="variants_head",
            bind="query-params",
            label_visibility="collapsed",
        )
        same = st.toggle(
            "Give all the same target",
            True,
            key="variants_same_target",
            bind="query-params",
            help="Each decoder reads what the first of them wrote, so that all have the same rows.",
        )
    if which == _SELECTED:
        choose_head(view.run, selection)
    written = next((v.run.text for v in views if v.run.finished and v.run.text), "")
    if same and written:
        views = _open(view, {v.run.info.variant: names[v.run.info.variant] for v in views}, written)
    panels = [
        _panel(v, default_selection(v.run) if which == _BEST else selection, view.parcel.languages)
        for v in views
    ]
    show_panels(panels, key=f"variants_{which}", width=330, height=360, selects=which == _SELECTED)
    st.html(
        tokens.note(
            "Heads of two trainings have nothing in common but their number: which head does what "
            "was left to chance. The best is the one that looks at the right source token most "
            "often, on held-out sentences."
        )
    )


def _panel(view: View, selection: Selection, languages: tuple[str, str]) -> Panel:
    kind, config = selection.kind, view.run.info.config
    layer = min(selection.layer, layer_count(config, kind) - 1)
    head = min(selection.head, config.n_heads - 1)
    attention = attention_trace(view.run, kind, layer)
    weights = attention.weights[0, head].numpy()
    rows, columns = axis_tokens(view.run, kind)
    row_title, column_title = axis_titles(kind, languages)
    return Panel(
        title=view.run.info.variant,
        code=f"{attention_name(kind, layer)}[{head}]",
        values=weights,
        scale="weights",
        group=kind,
        row_tokens=rows,
        column_tokens=columns,
        row_title=row_title,
        column_title=column_title,
        masked=~attention.mask[0].expand(weights.shape).numpy() & (weights == 0),
    )


def _show_demonstrations(view: View, names: dict[str, str]) -> None:
    st.html(tokens.heading("What each difference does"))
    titles = {entry.title: key for key, entry in DEMONSTRATIONS.items()}
    chosen = st.segmented_control(
        "Demonstration",
        [*titles],
        key="variants_demonstration",
        bind="query-params",
        label_visibility="collapsed",
    )
    if chosen is None:
        st.html(tokens.note("Choose one: it is measured now, on these checkpoints."))
        return
    entry = DEMONSTRATIONS[titles[chosen]]
    st.html(tokens.note(entry.explanation))
    if missing := [name for name in entry.variants if name not in names]:
        st.html(tokens.notice("Not here", f"This needs a checkpoint of {', '.join(missing)}."))
        return
    try:
        with st.spinner("Measuring", show_time=True):
            found = demonstrate(titles[chosen], view)
    except ValueError as error:
        st.html(tokens.notice("This text cannot be run", str(error)))
        return
    st.html(verdict(found.verdict) + tokens.joined(map(demonstration_table, found.tables)))
    with st.container(horizontal=True, gap="medium"):
        for number, lines in enumerate(found.lines):
            with st.container(width="content", gap="xsmall"):
                st.html(tokens.note(lines.title))
                show_figure(
                    curves(
                        lines.x,
                        lines.lines,
                        x_title=lines.x_title,
                        y_title=lines.y_title,
                        log_x=lines.log_x,
                        log_y=lines.log_y,
                        marks=lines.marks,
                        palette=palette(),
                    ),
                    key=f"variants_{titles[chosen]}_{number}",
                    alt=lines.title,
                )


def _show_conversion(view: View) -> None:
    st.html(
        tokens.heading("Convert this checkpoint", code=view.run.info.name)
        + tokens.note(
            "Some variants are the same mathematics in another form: weights that are changed to "
            "fit give the same outputs. Others are not, and no weights do."
        )
    )
    chosen = st.selectbox(
        "Into",
        [*conversions(view.run.info.config)],
        index=None,
        key="variants_convert",
        placeholder="Choose what it is to become",
    )
    if chosen is not None:
        with st.spinner("Converting", show_time=True):
            result = convert_and_compare(chosen, view)
        st.html(conversion_report(result))


def _offer_another_task(view: View) -> None:
    task, names = richest_task()
    own = TASKS.get(view.run.info.task)
    st.html(
        tokens.notice(
            "One variant only",
            f"{own.title if own else view.run.info.task} has a checkpoint of "
            f"{view.run.info.variant} alone, so there is nothing to compare.",
        )
    )
    if len(names) > 1:
        st.button(
            f"Go to {TASKS[task].title}, which has {len(names)} variants",
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
