"""The tensor in view: its name, its matrices, and files to download."""

import difflib
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from texts import named, say
from viz.address.link import select
from viz.frame.download import offer_file
from viz.frame.saving import provenance_of
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.pictures.spreadsheet import csv_text
from viz.run.provenance import Provenance, dated
from viz.run.tensors import npz_file
from viz.run.view import View
from viz.subjects.map import words
from viz.subjects.map.tensor import TensorView

_CHOICE = "tensor_choice"
_MOST_HEADS = 12
"""The number of heads of one tensor drawn at a time."""


def known_tensor(asked: str, names: Sequence[str]) -> str:
    """Return the requested tensor; with a warning the nearest by name, if there is none."""
    if asked in names:
        return asked
    nearest = difflib.get_close_matches(asked[:200], names, n=1, cutoff=0.0)[0]
    st.warning(
        say("map.unknown_tensor", asked=tokens.quoted(asked), shown=tokens.markdown(nearest))
    )
    return nearest


def choose_tensor(names: Sequence[str], name: str) -> None:
    """Let the reader choose any tensor by its name."""
    st.session_state[_CHOICE] = name
    st.selectbox(
        say("map.any_tensor"),
        names,
        key=_CHOICE,
        on_change=lambda: select({"tensor": st.session_state[_CHOICE]}),
    )


def show_tensor(tensor: TensorView, sentence: str) -> None:
    """Draw a tensor, a matrix for each head, below the sentence of its block."""
    shape = " × ".join(str(size) for size in tensor.array.shape)
    st.html(tokens.heading("", code=tensor.name, shape=shape) + tokens.note(sentence))
    matrices = tensor.matrices
    one = len(matrices) == 1
    show_panels(
        [_panel(tensor, title, values) for title, values in matrices[:_MOST_HEADS]],
        key="tensor",
        width=520 if one else 260,
        height=560 if one else 300,
    )
    if len(matrices) > _MOST_HEADS:
        st.html(tokens.note(say("map.first_heads", shown=_MOST_HEADS, heads=len(matrices))))
    st.html(tokens.note(words.value_range(*tensor.extremes)))


def offer_files(view: View, tensor: TensorView) -> None:
    """Offer the tensor in view as text, and all tensors of the run as arrays."""
    with st.container(horizontal=True, gap="small"):
        offer_file(
            say("map.tensor_file"),
            lambda: _csv(tensor, provenance_of(view)),
            file_name=f"{tensor.name}.csv",
            mime="text/csv",
            key="tensor_csv",
        )
        offer_file(
            say("map.run_file"),
            lambda: npz_file(view.run, dated(provenance_of(view))),
            file_name="loupe-run.npz",
            mime="application/octet-stream",
            key="run_npz",
        )


def _panel(tensor: TensorView, title: str, values: np.ndarray) -> Panel:
    rows, columns = (
        named("map.axis", axis) or axis for axis in (tensor.row_axis, tensor.column_axis)
    )
    return Panel(
        title=title or say("map.axes", rows=rows, columns=columns),
        values=np.asarray(values, dtype=np.float32),
        scale="weights" if tensor.is_probability else "signed",
        group=tensor.name,
        axes=(tensor.row_axis, tensor.column_axis),
        row_tokens=tensor.row_tokens,
        column_tokens=tensor.column_tokens,
        row_title=rows,
        column_title=columns,
        masked=~values if values.dtype == bool else None,
    )


def _csv(tensor: TensorView, said: Provenance) -> str:
    columns = tensor.column_tokens or range(tensor.array.shape[-1])
    labels = [f"{i} {token}" if tensor.column_tokens else i for i, token in enumerate(columns)]
    frames = []
    for title, values in tensor.matrices:
        frame = pd.DataFrame(values, columns=labels)
        frame.insert(0, "row", tensor.row_tokens)
        frame.insert(0, "matrix", title)
        frames.append(frame)
    return csv_text(pd.concat(frames), dated(said))
