"""The map: the whole model with what flows through it, and any tensor of the run in full."""

import difflib
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from viz.components import tokens
from viz.components.map import show_map
from viz.components.panels import Panel, show_panels
from viz.link import follow_selection, select, selected_tensor
from viz.run import Run
from viz.spreadsheet import csv_text
from viz.tensor import TensorView, run_tensor_names, run_tensors, tensor_view
from viz.view import View

TITLE = "Map"
URL = "map"

_FIRST = "encoder.output"
_MOST_HEADS = 12
"""Heads of one tensor drawn at a time."""


@st.fragment
def render(view: View) -> None:
    """Show the map, and beside it the tensor of the block that was clicked."""
    run = view.run
    follow_selection(run, view.parcel.key, URL)
    names = run_tensor_names(run)
    name = _known(selected_tensor() or _FIRST, names)
    with st.container(key="map_page"):
        with st.container(border=True, key="card_map", gap="xsmall"):
            st.html(tokens.heading("The model, and what it computed in this run"))
            show_map(run, view.parcel.key, size="large", tensor=name, element_key="map_large")
        with st.container(border=True, key="card_tensor", gap="small"):
            _choose_tensor(names, name)
            shown = tensor_view(run, name)
            if shown is not None:
                _show_tensor(run, shown)


def _known(asked: str, names: Sequence[str]) -> str:
    if asked in names:
        return asked
    nearest = difflib.get_close_matches(asked, names, n=1, cutoff=0.0)[0]
    st.warning(f"Nothing is called {tokens.quoted(asked)}. Showing {tokens.markdown(nearest)}.")
    return nearest


def _choose_tensor(names: Sequence[str], name: str) -> None:
    st.session_state["tensor_choice"] = name
    st.selectbox(
        "Any tensor of this run",
        names,
        key="tensor_choice",
        on_change=lambda: select({"tensor": st.session_state["tensor_choice"]}),
    )


def _show_tensor(run: Run, tensor: TensorView) -> None:
    shape = " × ".join(str(size) for size in tensor.array.shape)
    st.html(tokens.heading("", code=tensor.name, shape=shape) + tokens.note(tensor.sentence))
    matrices = tensor.matrices
    show_panels(
        [
            Panel(
                title=title or f"{tensor.row_axis} × {tensor.column_axis}",
                values=np.asarray(values, dtype=np.float32),
                scale="weights" if tensor.is_probability else "signed",
                group=tensor.name,
                axes=(tensor.row_axis, tensor.column_axis),
                row_tokens=tensor.row_tokens,
                column_tokens=tensor.column_tokens,
                row_title=tensor.row_axis,
                column_title=tensor.column_axis,
                masked=~values if values.dtype == bool else None,
            )
            for title, values in matrices[:_MOST_HEADS]
        ],
        key="tensor",
        width=260 if len(matrices) > 1 else 520,
        height=300 if len(matrices) > 1 else 560,
    )
    if len(matrices) > _MOST_HEADS:
        st.html(tokens.note(f"The first {_MOST_HEADS} of {len(matrices)} heads; the file has all."))
    low, high = tensor.lengths
    colours = "go from 0 to 1" if tensor.is_probability else "are centred on 0"
    span = f"From {low:.4g} to {high:.4g}".replace("-", "−")
    st.html(tokens.note(f"{span}; the colours {colours}."))
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "This tensor (CSV)",
            lambda: _csv(tensor),
            file_name=f"{tensor.name}.csv",
            mime="text/csv",
            key="tensor_csv",
            on_click="ignore",
        )
        st.download_button(
            "All tensors of the run (NPZ)",
            lambda: _npz(run),
            file_name="loupe-run.npz",
            mime="application/octet-stream",
            key="run_npz",
            on_click="ignore",
        )


def _csv(tensor: TensorView) -> str:
    columns = tensor.column_tokens or range(tensor.array.shape[-1])
    labels = [f"{i} {token}" if tensor.column_tokens else i for i, token in enumerate(columns)]
    frames = []
    for title, values in tensor.matrices:
        frame = pd.DataFrame(values, columns=labels)
        frame.insert(0, "row", tensor.row_tokens)
        frame.insert(0, "matrix", title)
        frames.append(frame)
    return csv_text(pd.concat(frames))


def _npz(run: Run) -> bytes:
    file = io.BytesIO()
    arrays: dict[str, Any] = {name: t.numpy() for name, t in run_tensors(run)}
    np.savez_compressed(file, **arrays)
    return file.getvalue()
