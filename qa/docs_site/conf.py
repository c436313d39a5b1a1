"""The settings of Sphinx, which builds the site from the files in their places.

So a link has the same target on the site and on a page that shows the repository.
"""

import re
import shutil
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

project = "Loupe"
author = "The Loupe authors"
html_title = "Loupe"
extensions = ["myst_nb"]
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/**",
    "qa/*/README.md",
    "sample_data/README.md",
    "sample_data/everyday/lexicon/README.md",
]
exclude_patterns = [".*", "**/.*", "docs/requirements.txt"]
nb_execution_mode = "off"
myst_heading_anchors = 6
myst_enable_extensions = ["html_image"]
html_theme = "furo"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
highlight_language = "none"

CONTENTS = {
    "Begin": ["docs/quickstart", "docs/gallery", "docs/troubleshooting"],
    "Teach": ["docs/teach", "docs/lessons", "docs/deploy", "docs/site"],
    "Real models": [
        "docs/gpt2",
        "docs/real-models",
        "docs/pronouns",
        "docs/own-models",
        "docs/config-files",
    ],
    "Research": ["docs/python", "docs/api", "docs/terms", "docs/corpus", "docs/ioi"],
    "Contribute": [
        "docs/README",
        "CONTRIBUTING",
        "CODE_OF_CONDUCT",
        "SECURITY",
        "CHANGELOG",
        "docs/internals/architecture",
        "docs/internals/safety",
        "docs/internals/audit",
        "docs/internals/good-first-issues",
        "docs/internals/decisions/README",
        "qa/benchmarks/README",
        "sample_data/README",
        "sample_data/everyday/lexicon/README",
    ],
}
"""The sidebar. All other pages come last."""
DECISIONS = "docs/internals/decisions"


def setup(app: Sphinx) -> None:
    """Add parts that GitHub would show as code if the files contained them."""
    app.connect("source-read", add_contents)
    app.connect("doctree-read", refuse_lost_images)
    app.connect("build-finished", write_first_page)


def add_contents(app: Sphinx, name: str, text: list[str]) -> None:
    """Add the sidebar's lists, and let links to a folder lead to its README."""
    text[0] = re.sub(r"(\]\([\w./-]+/)\)", r"\1README.md)", text[0])
    if name == root_doc:
        named = {page for pages in CONTENTS.values() for page in pages}
        found = {each for each in app.project.docnames if not each.startswith(f"{DECISIONS}/")}
        rest = sorted(found - named - {root_doc})
        for part, pages in (*CONTENTS.items(), ("More", rest)):
            text[0] += toctree("\n".join(pages), f":caption: {part}\n:hidden:") if pages else ""
    if name == f"{DECISIONS}/README":
        text[0] += toctree("[0-9]*", ":glob:\n:maxdepth: 1")


def toctree(pages: str, options: str) -> str:
    """Return a list of pages as Sphinx writes it."""
    return f"\n\n```{{toctree}}\n{options}\n\n{pages}\n```\n"


def refuse_lost_images(app: Sphinx, tree: nodes.document) -> None:
    """Fail if a picture has another host: the site asks no other."""
    for image in tree.findall(nodes.image):
        if "://" in image["uri"]:
            raise ValueError(f"{app.env.docname} shows a picture of another host: {image['uri']}")


def write_first_page(app: Sphinx, error: Exception | None) -> None:
    """Let the address of the folder show the README."""
    if error is None:
        shutil.copy(app.outdir / f"{root_doc}.html", app.outdir / "index.html")
