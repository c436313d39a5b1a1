"""The visit for which Python runs, from Streamlit's internals."""

from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address
from typing import ParamSpec, TypeVar
from urllib.parse import urlsplit

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx

from model.interruption import interrupted_by

P = ParamSpec("P")
R = TypeVar("R")

_FORWARDED = ("forwarded", "x-forwarded-for")
"""Headers of a forwarded request, whose sender may be anywhere."""


def session_id() -> str:
    """Return the id of this session; empty if no page is being drawn."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def is_local(address: str) -> bool:
    """Return whether an address is the machine itself; an empty one means all its addresses."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def is_at_this_machine() -> bool:
    """Return whether only this machine can reach the server, and the reader sits at it."""
    headers = st.context.headers
    host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    is_forwarded = any(name in headers for name in _FORWARDED)
    own = is_local(str(st.get_option("server.address") or ""))
    has_others = not all(map(is_local, st.get_option("server.allowedHosts") or ()))
    return own and is_local(host) and not is_forwarded and not has_others


def is_present(session: str) -> bool:
    """Return whether a session's page is still open."""
    return not runtime.exists() or bool(runtime.get_instance().is_active_session(session))


def is_gone() -> bool:
    """Return whether the page for which Python runs was closed meanwhile."""
    session = session_id()
    return bool(session) and not is_present(session)


def until_gone(run: Callable[P, R]) -> Callable[P, R]:
    """Let the models that run in a function stop before their next layer if the page is closed.

    The script ends there by Streamlit's StopException. An unfinished computation is not kept;
    another session that waits for it computes it.
    """

    def ask() -> None:
        if is_gone():
            raise StopException

    @wraps(run)
    def run_until_gone(*arguments: P.args, **named: P.kwargs) -> R:
        with interrupted_by(ask):
            return run(*arguments, **named)

    return run_until_gone


def is_returned() -> bool:
    """Return whether the browser went back or forward, so the address overrides the session."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def is_part() -> bool:
    """Return whether only a part of the page runs, and not the whole script."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)
