"""Files that a page offers by a button, each at an address that only its session knows.

Streamlit keeps such a file under a hash of its contents, name and type, and gives it to anyone who
asks for that address. So the type contains a secret of the session. Another session with the same
file cannot work out the address of this one.
"""

import secrets
from collections.abc import Callable

import streamlit as st

_SECRET = "download_secret"
_BYTES = 16


def offer_file(
    label: str,
    data: str | bytes | Callable[[], str | bytes],
    *,
    file_name: str,
    mime: str,
    key: str,
) -> None:
    """Offer a file, or a function that makes it on request.

    Args:
        label: The text of the button.
        data: The contents of the file, or a function that returns them.
        file_name: The name under which the browser saves the file.
        mime: The type of the contents, such as "text/csv".
        key: The key of the button.
    """
    secret = st.session_state.setdefault(_SECRET, secrets.token_hex(_BYTES))
    st.download_button(
        label,
        data,
        file_name=file_name,
        mime=f"{mime}; session={secret}",
        key=key,
        on_click="ignore",
    )
