"""The hosts and origins that the server answers: its own names, and pages that it served."""

import re
from dataclasses import dataclass
from ipaddress import ip_address

import streamlit as st
from streamlit.config import is_manually_set

from viz.work.visit import is_local

_LONGEST = 255
"""Most characters of a host."""
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:(?P<port>[0-9]{1,5}))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Hosts:
    """The names that a server answers to.

    A page of another site can make its own name point to this machine (DNS rebinding). It would
    then be treated like a page of this server. This is impossible with an IP address.
    """

    names: tuple[str, ...]
    """Names: `*.example.org` for all names below one, `*` for any."""
    local: bool = True
    """Whether `localhost` and the machine's own loopback addresses are included."""
    numbers: bool = False
    """Whether any IP address is accepted: for a server that listens on more than loopback."""

    def answer_to(self, host: str | None) -> bool:
        """Return whether a request with this Host header may be meant for this server."""
        found = _parse(host)
        if found is None:
            return False
        name = found["name"].rstrip(".")
        if any(_fits(name, own) for own in self.names):
            return True
        if name == "localhost":
            return self.local
        try:
            number = ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self.numbers or (self.local and number.is_loopback)


def configured_hosts() -> Hosts:
    """Read the names from Streamlit's options.

    If `server.allowedHosts` is set, it is the whole list, as for Streamlit itself.
    """
    if allowed := st.get_option("server.allowedHosts"):
        return Hosts(tuple(name.strip().lower().rstrip(".") for name in allowed), local=False)
    address = (st.get_option("server.address") or "").lower()
    names = [address] if address else []
    if is_manually_set("browser.serverAddress"):
        names.append(str(st.get_option("browser.serverAddress")).lower())
    return Hosts(tuple(names), numbers=not is_local(address))


def is_same_origin(origin: str, host: str | None) -> bool:
    """Return whether a page of this origin came from this host, with the same port."""
    ours = _parse(host)
    scheme, _, rest = origin[: _LONGEST + 8].lower().partition("://")
    theirs = _parse(rest)
    if ours is None or theirs is None or scheme not in _DEFAULT_PORTS:
        return False
    usual = _DEFAULT_PORTS[scheme]
    return (ours["name"], ours["port"] or usual) == (theirs["name"], theirs["port"] or usual)


def _parse(host: str | None) -> re.Match[str] | None:
    if host is None or len(host) > _LONGEST:
        return None
    return _HOST.fullmatch(host.lower())


def _fits(name: str, own: str) -> bool:
    return own in ("*", name) or (own.startswith("*.") and name.endswith(own[1:]))
