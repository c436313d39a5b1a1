"""Texts that are run: the data that the browser gets of them, and the downloads."""

import ast
import csv
import io
from pathlib import Path

import pandas as pd
from hypothesis import strategies as st

import loupe
from qa.fuzz.area import Area, Verdict, hold
from qa.fuzz.hostile import short_texts
from qa.fuzz.models import MADE, load, shipped_kinds, words_of
from qa.fuzz.outgoing import check_html, check_json, check_message
from texts import LANGUAGES, Language, speaking
from viz.address.selection import default_selection
from viz.frame import output
from viz.heads.head_summary import metrics_by_head
from viz.heads.measures import pack_measures
from viz.pictures.spreadsheet import csv_text
from viz.run.as_python import as_imported, run_lines
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.payload import Payload, pack_run
from viz.run.provenance import dated, provenance
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.attention.bertviz_view import bertviz_html
from viz.subjects.attention.offline import offline_page

_FORMULA = ("=", "+", "-", "@", "\t")


def open_area(place: Path) -> Area:
    """Draw a model, a text, an optional target, and a language."""
    del place
    drawn = [
        st.tuples(
            st.just(name),
            short_texts(words_of(name)),
            st.one_of(st.just(""), short_texts(words_of(name))),
            st.sampled_from(LANGUAGES),
        )
        for name in (*shipped_kinds(), *MADE)
    ]
    return Area("runs", st.one_of(drawn), check, share=120, seconds=30.0)


def check(given: tuple[str, str, str, Language]) -> Verdict:
    """Run a text, and make everything that a page or a file has of it."""
    name, source, target, language = given
    with speaking(language):
        try:
            run = make_run(load(name), source, target=target)
        except ValueError as error:
            check_message(error)
            return "refused"
        parcel = pack_run(run, "key")
        check_json(parcel.said["meta"], "the run")
        check_json(pack_measures(metrics_by_head(run, parcel.gold), "key"), "its measures")
        check_html(output.written(run), "what was written")
        _check_files(given, run, parcel)
    return "accepted"


def _check_files(given: tuple[str, str, str, Language], run: Run, parcel: Payload) -> None:
    name, source, target, _ = given
    view = View(Inputs(name, source, target, "cpu"), run, parcel, load(name))
    lines = as_imported(run_lines(view, name))
    texts = {node.value for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Constant)}
    hold(source in texts, "the lines of Python have another text")
    said = dated(provenance(view, sha256=None, again=lines))
    selection = default_selection(run)
    page = offline_page(view, selection, pack_measures({}, "key"), said)
    check_html(page.decode(), "the page that works offline", scripts=True)
    picture = loupe.trace(load(name), source).html()
    check_html(picture, "the picture of a notebook", scripts=True)
    try:
        bertviz = bertviz_html(run, selection.kind, layer=0, head=0)
    except ValueError as error:
        check_message(error)
    else:
        hold(bertviz.count("<iframe") == 1, "BertViz' page has other than one frame")
        hold('<iframe sandbox="allow-scripts" ' in bertviz, "BertViz' frame is not cut off")
    _check_csv(pd.DataFrame({"token": [*run.source.tokens, *run.target_tokens]}), said)


def _check_csv(frame: pd.DataFrame, said: dict[str, object]) -> None:
    """Check that a spreadsheet takes no text for a formula, and that the number of rows is
    right."""
    rows = list(csv.reader(io.StringIO(csv_text(frame, said).removeprefix("\ufeff"))))
    hold(len(rows) == len(frame) + 2, f"a CSV of {len(frame)} rows has {len(rows) - 2}")
    cells = [cell for row in rows for cell in row]
    hold(not any(cell.startswith(_FORMULA) for cell in cells), "a cell of a CSV is a formula")
