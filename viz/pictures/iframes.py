"""HTML documents on a page, each in its own frame at its own address.

A document inside the page itself would be subject to the page's policy, which allows no script of
its own. From its own address it has a stricter policy but may run its script, isolated from the
page.
"""

import hashlib
from collections import OrderedDict
from threading import Lock

import streamlit as st

from viz.pictures.served import base_path

FOLDER = "frame"
"""Prefix of a document's path."""

_MOST = 64
"""Most documents kept. A browser fetches a document as soon as it has the address."""
_documents: OrderedDict[str, bytes] = OrderedDict()
_lock = Lock()


def show_document(document: str, *, height: int) -> None:
    """Show an HTML document in a frame on the page."""
    st.iframe(f"{base_path()}/{FOLDER}/{_keep(document)}", height=height)


def find_document(key: str) -> bytes | None:
    """Return a document by the last part of its address."""
    with _lock:
        return _documents.get(key)


def _keep(document: str) -> str:
    contents = document.encode()
    key = hashlib.sha256(contents).hexdigest()
    with _lock:
        _documents[key] = contents
        _documents.move_to_end(key)
        if len(_documents) > _MOST:
            _documents.popitem(last=False)
    return key
