"""Whom the server answers: its own names, and pages that it served itself."""

import re
from dataclasses import dataclass
from ipaddress import ip_address

import streamlit as st
from streamlit.config import is_manually_set

from viz.work.visit import is_local

_LONGEST = 255
"""Characters of a host that are looked at."""
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:(?P<port>[0-9]{1,5}))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Hosts:
    """The names that a server answers to.

    A page of another site can make its own name mean this machine (DNS rebinding), and would then
    be let in as if the server had served it. It cannot do so with a number.
    """

    names: tuple[str, ...]
    """A name, `*.example.org` for all names below one, `*` for any."""
    local: bool = True
    """Whether `localhost` and the numbers of the machine itself are among them."""
    numbers: bool = False
    """Whether every number is: of a server that listens on more than the machine itself."""

    def answer_to(self, host: str | None) -> bool:
        """Return whether a request may be meant for this server, by its Host header."""
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

    `server.allowedHosts` is the whole list where it is given, as Streamlit reads it too.
    """
    if allowed := st.get_option("server.allowedHosts"):
        return Hosts(tuple(name.strip().lower().rstrip(".") for name in allowed), local=False)
    address = (st.get_option("server.address") or "").lower()
    names = [address] if address else []
    if is_manually_set("browser.serverAddress"):
        names.append(str(st.get_option("browser.serverAddress")).lower())
    return Hosts(tuple(names), numbers=not is_local(address))


def is_same_origin(origin: str, host: str | None) -> bool:
    """Return whether a page of this origin came from this host, its port included."""
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
