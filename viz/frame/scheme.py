"""Follows the browser when it changes between light and dark."""

from streamlit.components.v2 import component

_WATCH = """
export default function ({ parentElement, setTriggerValue }) {
  const host = parentElement.host ?? parentElement;
  const ground = getComputedStyle(host).getPropertyValue("--st-background-color");
  const before = host.dataset.ground;
  host.dataset.ground = ground;
  // Streamlit tells the app alone whether it is light or dark; menus and notices are beside it.
  document.documentElement.style.colorScheme = getComputedStyle(host).colorScheme;
  if (before !== undefined && before !== ground) setTriggerValue("changed", ground);
}
"""

_watch = component("loupe_theme", html="<span></span>", js=_WATCH)


def _run_again() -> None:
    """Do nothing: the callback itself makes Streamlit run the script again."""


def follow_theme() -> None:
    """Run the script again when the page turns light or dark, because figures depend on it."""
    _watch(key="theme", on_changed_change=_run_again)
