"""The guide of those who use Loupe from Python prints what it says, and names what there is."""

import re
from contextlib import redirect_stdout
from io import StringIO

from tests.browsing import ROOT

GUIDE = (ROOT / "docs" / "python.md").read_text("utf-8").split("\n## The model itself\n")[0]
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_guide_prints_what_it_says() -> None:
    (kind, code), (_, printed) = BLOCKS[:2]
    assert kind == "python"
    said = StringIO()
    with redirect_stdout(said):
        exec(compile(code, "python.md", "exec"), {})
    assert said.getvalue() == printed


def test_the_guide_names_what_there_is() -> None:
    import loupe

    named = set(re.findall(r"loupe\.(\w+)\(", GUIDE))
    assert named == {"explore", "load", "save", "trace"}
    assert all(callable(getattr(loupe, name)) for name in named)
