"""Links from a number of the corpus: to the sentence in the app, and to another head."""

from collections.abc import Mapping
from urllib.parse import urlencode

from viz.corpus.atlas import Pick
from viz.corpus.tables import HeadName

ATTENTION, CORPUS = "attention", "corpus"


def to_sentence(checkpoint: str, head: HeadName, example: Pick, language: str = "") -> str:
    """Link to the sentence, head and cell of an example, with the target as it was measured."""
    query = {
        "checkpoint": checkpoint,
        "source": example.source,
        **({"target": example.target} if example.target else {}),
        **_of(head),
        "query": example.query,
        "key": example.key,
    }
    if head.kind != "encoder self-attention":
        query["step"] = example.query
    return f"{ATTENTION}?{urlencode(query | ({'lang': language} if language else {}))}"


def to_head(kept: Mapping[str, str | list[str]], head: HeadName) -> str:
    """Link to another head on this page, with the rest of its address."""
    left = {name: text for name, text in kept.items() if name not in ("query", "key", "step")}
    return f"{CORPUS}?{urlencode(left | _of(head), doseq=True)}"


def _of(head: HeadName) -> dict[str, str | int]:
    return {"kind": head.kind, "layer": head.layer, "head": head.head}
