"""The visit that Python runs for, as Streamlit keeps it under names of its own."""

from collections.abc import Mapping

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


def write_address(parameters: Mapping[str, str | None]) -> None:
    """Write parameters into the address, and tell the browser nothing; None takes one out."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not parameters:
        return
    with context.session_state.query_params() as address:
        for name, text in parameters.items():
            if text is None:
                address.discard_param_no_forward_msg(name)
            else:
                address.set_with_no_forward_msg(name, text)
