"""Readers with one fault each, which the fuzzing must report."""

import itertools
import time
from pathlib import Path

from hypothesis import strategies as st

from qa.fuzz.area import Area, Verdict
from qa.fuzz.hostile import short_texts
from qa.fuzz.outgoing import check_html, check_message, check_text


def uncaught(text: str) -> Verdict:
    int("1" if len(text) < 3 else text[:1] + "x")
    return "accepted"


def endless(text: str) -> Verdict:
    while len(text) > 4:
        pass
    return "accepted"


def swallowing(text: str) -> Verdict:
    """Catch every Exception, which would include that of a time limit if it raised one."""
    while len(text) > 4:
        try:
            time.process_time()
        except Exception:
            return "refused"
    return "accepted"


def waiting(text: str) -> Verdict:
    time.sleep(60 if len(text) > 4 else 0)
    return "accepted"


def deaf(text: str) -> Verdict:
    """Run for ever in code that handles no signal."""
    any(itertools.repeat(0) if len(text) > 4 else ())
    return "accepted"


def ended(text: str) -> Verdict:
    """End the process, as a fault in C code would."""
    import os
    import signal

    if len(text) > 4:
        os.kill(os.getpid(), signal.SIGSEGV)
    return "accepted"


def unescaped(text: str) -> Verdict:
    check_html(f"<p>{text}</p>", "a paragraph")
    return "accepted"


def unquoted(text: str) -> Verdict:
    check_html(f'<p title="{text.replace("<", "&lt;")}">x</p>', "a paragraph")
    return "accepted"


def surrogate(text: str) -> Verdict:
    check_text(text, "a title")
    return "accepted"


def wordless(text: str) -> Verdict:
    if len(text) > 4:
        check_message(KeyError(text[:1]))
    return "refused"


READERS = {
    reader.__name__: reader
    for reader in (
        uncaught, endless, swallowing, waiting, deaf, ended,
        unescaped, unquoted, surrogate, wordless,
    )
}  # fmt: skip


def planted(name: str) -> Area:
    inputs = (
        short_texts() if name in ("unescaped", "unquoted", "surrogate") else st.text(max_size=9)
    )
    return Area(name, inputs, READERS[name], share=10_000, seconds=0.2, patience=0.5)


def open_area(place: Path) -> Area:
    """Open the area in a process of its own, with the reader named after the folder."""
    return planted(place.name)
