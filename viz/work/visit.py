"""The visit that Python runs for, as Streamlit keeps it under names of its own."""

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


def session_id() -> str:
    """Name this session; nothing where no page is being drawn."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def is_present(session: str) -> bool:
    """Return whether a session's page is still open."""
    return not runtime.exists() or bool(runtime.get_instance().is_active_session(session))


def is_returned() -> bool:
    """Return whether the browser went back or forward: then the address says all."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def is_part() -> bool:
    """Return whether a part of the page runs by itself, and not the whole script."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)
