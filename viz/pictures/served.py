"""The addresses of the browser's modules on the server, with the hash of their contents."""

import streamlit as st

from viz.pictures.browser_modules import HASH, MODULES


def address(name: str = "") -> str:
    """Return the path of a module on the server; without a name, the path of their folder."""
    if name and name not in MODULES:
        raise ValueError(f"a module must be one of those served, got {name!r}")
    return f"{base_path()}/loupe/{HASH}/{name}"


def module_files() -> dict[str, str]:
    """Return the code of every module by its path on the server."""
    return {address(name): code.decode() for name, code in MODULES.items()}


def base_path() -> str:
    """Return the prefix of every path: "", or "/loupe" for a server at example.org/loupe."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""
