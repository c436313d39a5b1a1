"""Reads an untrusted lesson file: checks its length first, then its form, then every field."""

import re
import tomllib
from pathlib import Path

from model.files.durable import read_file
from model.files.json_fields import shorten
from viz.lessons.faults import Fault, LessonError, passed_on, refuse, told, too_many
from viz.lessons.fields import Fields
from viz.lessons.lesson import MOST_STEPS, Lesson
from viz.lessons.reading_steps import read_step

FOLDER = Path(__file__).parents[2] / "sample_data" / "lessons"
SHORT_PATH = 4
"""Lessons 1 to 4 take ten minutes."""
MOST_BYTES = 65_536
MOST_IN_A_LINE = 3_000
"""Characters. Longer lines are refused, such as a key of a thousand parts or a huge number."""
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME = 80
_OF_OLD = ("holds",)
"""Fields at the top of older files, which are ignored."""


def read_lesson(file: Path | bytes, name: str = "") -> Lesson:
    """Read a lesson from its file or from the bytes of a file.

    Only its form is checked, without a model: `resolution.check_lesson` checks the rest.

    Args:
        file: A path, or the bytes of an upload.
        name: The id of a lesson that is read from bytes: the name of its file without the ending.

    Raises:
        LessonError: With every fault that was found.
    """
    id = file.stem if isinstance(file, Path) else name
    values = _parse(_decode(_bytes(file)))
    faults: list[Fault] = []
    if not _NAME.fullmatch(id) or len(id) > LONGEST_NAME:
        faults.append(Fault("", told("file_name", name=shorten(id))))
    lesson = _lesson(id, values, faults)
    if faults:
        raise LessonError(*faults)
    return lesson


def _bytes(file: Path | bytes) -> bytes:
    if isinstance(file, bytes):
        if len(file) > MOST_BYTES:
            raise LessonError(Fault("", too_many("bytes", MOST_BYTES, len(file))))
        return file
    try:
        return read_file(file, most=MOST_BYTES)
    except OSError as error:
        raise refuse("", "unreadable", reason=error.strerror) from None
    except ValueError as error:
        raise passed_on("", error) from None


def _decode(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse("", "unreadable", reason=str(error.reason)) from None
    longest = max(map(len, text.split("\n")))
    if longest > MOST_IN_A_LINE:
        raise refuse("", "line_long", most=MOST_IN_A_LINE, count=longest)
    return text.replace("\r\n", "\n")


def _parse(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise refuse("", "not_toml", reason=shorten(str(error))) from None
    except RecursionError:
        raise refuse("", "too_deep") from None
    except ValueError as error:  # an impossible date, or a number with too many digits
        raise refuse("", "unreadable", reason=shorten(str(error))) from None


def _lesson(id: str, values: dict[str, object], faults: list[Fault]) -> Lesson:
    fields = Fields(values, "", faults)
    checkpoint = fields.path("checkpoint", LONGEST_NAME, needed=True)
    steps = fields.tables("step", "step", MOST_STEPS)
    if not steps:
        fields.fault("no_step")
    lesson = Lesson(
        id=id,
        title=fields.text("title", needed=True),
        goal=fields.text("goal", needed=True),
        checkpoint=checkpoint,
        steps=tuple(read_step(step) for step in steps),
        path=fields.whole("path", 0, 99, 0),
        minutes=fields.whole("minutes", 1, 60, 5),
    )
    fields.end(taken=_OF_OLD)
    return lesson


def shipped_lessons(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """Read the lessons of a folder, those of the path first and in its order.

    Raises:
        LessonError: If one has a fault.
    """
    found = [read_lesson(path) for path in sorted(folder.glob("*.toml"))]
    return tuple(sorted(found, key=lambda lesson: (lesson.path or 100, lesson.id)))
