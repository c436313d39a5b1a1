"""Files that a page offers by a button, each under an address that its session alone knows.

Streamlit keeps such a file under a hash of its contents, its name and its type, for whoever asks
for that address. So the type has a secret of the session: who has the same contents, or made the
same file in another session, cannot tell where this one lies.
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
    """Offer a file, or what makes it once it is asked for.

    Args:
        label: What the button says.
        data: What is in the file.
        file_name: What it is called where it is kept.
        mime: What it is: "text/csv".
        key: Of the button.
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
