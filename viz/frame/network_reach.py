"""Who can open the pages of this server: this machine alone, or others in its network."""

import socket
from ipaddress import ip_address

import streamlit as st

from viz.frame.wire import WireReach
from viz.work.visit import is_local

_ELSEWHERE = ("192.0.2.1", 9)
"""An address that is nobody's (RFC 5737): nothing is sent there, the system only picks a way."""


def reach() -> WireReach:
    """Return who can open the pages, by the address that the server listens to."""
    address = str(st.get_option("server.address") or "")
    local = is_local(address)
    return {"local": local, "number": None if local else _number(address)}


def _number(address: str) -> str | None:
    """Return the number that others in the network know this machine by."""
    try:
        if not ip_address(address).is_unspecified:
            return address
    except ValueError:
        if address:
            return address
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            number = probe.getsockname()[0]
    except OSError:
        return None
    return None if is_local(number) else number
