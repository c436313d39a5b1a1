"""A site of third-party models: its three pages, as they open and with a typed text."""

from dataclasses import replace

from qa.audit.pages.site import check_written, go_to, sentences, site_attention, site_map
from qa.audit.published import PublishedTruth
from qa.audit.visit import Visit


def third_attention(visit: Visit) -> None:
    """Hold what the worker made of each text, and cells from the parameters that it sends."""
    site_attention(visit)


def third_map(visit: Visit) -> None:
    """Hold one tensor of each sort that the model has."""
    site_map(visit)


def third_decoding(visit: Visit) -> None:
    """Hold what is written after each text, some tokens at a time."""
    for there in sentences(visit, "decoding"):
        if isinstance(there.truth, PublishedTruth):
            check_written(replace(there, truth=there.truth.with_room()), go_to)
