"""Files of lessons, which anyone may write or bring: read, checked against runs, printed."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from qa.fuzz.area import Area, Verdict
from qa.fuzz.damage import byte_edits, damaged, edited, json_edits
from qa.fuzz.hostile import texts
from qa.fuzz.outgoing import check_html, check_json, check_message
from texts import LANGUAGES, speaking
from viz.frame.lesson.packing import option_text
from viz.lessons.checking import check_lesson
from viz.lessons.faults import Fault, LessonError
from viz.lessons.lesson import Lesson
from viz.lessons.reading import read_lesson
from viz.lessons.resolve import resolve
from viz.lessons.runs import FileRuns
from viz.lessons.shipped import FOLDER
from viz.pictures import tokens
from viz.subjects.lessons.sheet import sheet

_FILES = ("it", "not-ne-pas", "sharpness", "depth", "find-the-head")


@cache
def data(name: str) -> bytes:
    return (FOLDER / f"{name}.toml").read_bytes()


@cache
def runs() -> FileRuns:
    return FileRuns()


def open_area(place: Path) -> Area:
    """Draw a shipped lesson and what is done to its values or its bytes; or a text of one's own."""
    del place
    drawn = st.one_of(
        *[
            st.one_of(
                st.tuples(st.just(name), st.just("bytes"), byte_edits()),
                *[st.tuples(st.just(name), st.just("values"), json_edits(_values(name)))] * 3,
            )
            for name in _FILES
        ],
        st.tuples(texts(), st.just("text"), st.just([])),
        st.tuples(st.sampled_from(_NESTED), st.just("text"), st.just([])),
    )
    return Area("lessons", drawn, check, share=600, seconds=20.0)


_NESTED = (
    "a = " + "[" * 2_000,
    "a." * 1_400 + "a = 1",
    "\n".join(f"[a{'.a' * n}]" for n in range(900)),
    "a = " + "9" * 2_900,
    "a = 0x" + "f" * 2_900,
    "a = 99999-99-99",
    "a = 1979-05-27T07:32:00-99:99",
    "[[step]]\n" * 9_000,
)


def check(given: tuple[str, str, list[Any]]) -> Verdict:
    """Read a file, and where it is a lesson find what it asks, and print it, in both languages."""
    lesson: Lesson | None = None
    try:
        lesson = read_lesson(_damage(given), "own-lesson")
        faults = check_lesson(lesson, runs())
    except LessonError as error:
        faults = error.faults
    for language in LANGUAGES:
        with speaking(language):
            _check_faults(faults)
            if lesson and not faults:
                _check_shown(lesson)
    return "refused" if faults else "accepted"


def _check_faults(faults: tuple[Fault, ...]) -> None:
    for fault in faults:
        check_message(fault)
        check_html(tokens.note(str(fault)), "a fault")


def _check_shown(lesson: Lesson) -> None:
    resolved = [resolve(lesson, step, runs()) for step in lesson.steps]
    check_html(sheet(lesson, resolved), "the sheet", scripts=True)
    for step in resolved:
        check_json([option_text(option, step) for option in step.options], "the options")


def _damage(given: tuple[str, str, list[Any]]) -> bytes:
    name, what, edits = given
    if what == "bytes":
        return damaged(data(name), edits)
    if what == "text":
        return name.encode(errors="surrogatepass")
    return write(edited(_values(name), edits)).encode(errors="surrogatepass")


def _values(name: str) -> Any:
    return tomllib.loads(data(name).decode())


def write(values: object) -> str:
    """Write values as TOML; what TOML has no word for is left to be refused."""
    if not isinstance(values, dict):
        return f"a = {_inline(values)}"
    return "\n".join(_lines(values))


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    tables = {name: v for name, v in values.items() if _is_tables(v)}
    yield from (f"{_key(n)} = {_inline(v)}" for n, v in values.items() if n not in tables)
    for name, found in tables.items():
        for table in found:
            yield f"[[{_key(name)}]]"
            yield from (f"{_key(inner)} = {_inline(value)}" for inner, value in table.items())


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _inline(value: object) -> str:
    if isinstance(value, dict):
        inner = (f"{_key(name)} = {_inline(v)}" for name, v in value.items())
        return "{ " + ", ".join(inner) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, float):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
