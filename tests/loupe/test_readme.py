import re
from contextlib import redirect_stdout
from io import StringIO

from tests.browsing import ROOT

SECTION = (ROOT / "README.md").read_text("utf-8").split("## From Python\n")[1].split("\n## ")[0]
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)


def test_the_readme_prints_what_it_says() -> None:
    (kind, code), (_, printed) = BLOCKS[:2]
    assert kind == "python"
    said = StringIO()
    with redirect_stdout(said):
        exec(compile(code, "README.md", "exec"), {})
    assert said.getvalue() == printed


def test_the_readme_names_what_there_is() -> None:
    import loupe

    named = set(re.findall(r"loupe\.(\w+)\(", SECTION))
    assert named == {"explore", "load", "save", "trace"}
    assert all(callable(getattr(loupe, name)) for name in named)
