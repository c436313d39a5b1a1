"""Stands in for Streamlit's address and session, so that a reader of a link runs by itself."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

import streamlit as st


class Query(dict[str, Any]):
    """The parameters of an address, each with one text or several."""

    def get_all(self, name: str) -> list[str]:
        found = self.get(name, [])
        return [found] if isinstance(found, str) else list(found)

    def to_dict(self) -> dict[str, str]:
        return dict(self)


@contextmanager
def arrived(query: Mapping[str, str], state: Mapping[str, Any] | None = None) -> Iterator[Query]:
    """Run what is inside as a session that has come by a link just now."""
    address = Query(query)
    with (
        mock.patch.object(st, "query_params", address),
        mock.patch.object(st, "session_state", dict(state or {})),
    ):
        yield address
