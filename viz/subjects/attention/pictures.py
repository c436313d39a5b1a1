"""The pictures of attention: the tokens of a run, all heads, one head."""

from viz.pictures.component import picture

_sentences = picture("sentences", "pictures/browser/sentences.js")
_heads = picture("heads", "subjects/attention/browser/heads.js")
_head = picture("head", "subjects/attention/browser/head.js")


def show_sentences(run_key: str) -> None:
    """Show the tokens read and written; a click on one selects its row or column."""
    _sentences(key="sentences", data={"run": run_key})


def show_heads(run_key: str) -> None:
    """Show a thumbnail of every head of the selected kind; a click on one selects it."""
    _heads(key="heads", data={"run": run_key})


def show_head(run_key: str) -> None:
    """Show the selected head as a heat map and as lines between tokens."""
    _head(key="head", data={"run": run_key})
