"""Whole documents on a page, each in a frame of its own under an address of its own.

A document that stood in the page itself would live by the page's rules, which let no script of its
own run. Sent by the server it has stricter rules and more freedom: it may do as it likes, alone.
"""

import hashlib
from collections import OrderedDict
from threading import Lock

import streamlit as st

from viz.pictures.served import base_path

FOLDER = "frame"
"""What the path of a document begins with."""

_MOST = 64
"""Documents that are kept. A browser fetches one as soon as it has its address, and keeps it."""
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
