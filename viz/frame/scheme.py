"""A change between light and dark, which the browser makes and the rest has to follow."""

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
    """Do nothing: being called back is what runs the script again."""


def follow_theme() -> None:
    """Run the script again when the page turns light or dark: figures get their colours from it."""
    _watch(key="theme", on_changed_change=_run_again)
