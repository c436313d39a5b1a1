"""Models in the user's Hugging Face cache, and a field to download others into it.

Only the person at this machine may use them: a server for others neither lists nor fills the cache.
"""

from collections.abc import Callable

import streamlit as st

from model.files.json_fields import shorten
from model.files.sizes import file_in_words
from model.foreign.finding import kind_of
from model.foreign.hub.cache import CachedModel, cached_models, hub_cache
from model.foreign.hub.names import SHORT, HubError, read_name
from model.foreign.hub.offer import is_offline
from texts import say, say_of
from viz.address import address
from viz.frame.titles import folder_title
from viz.models import planning
from viz.models.folders import PREFIX
from viz.models.hub_fetch import GONE_AFTER, KEY, PLACES, Fetches, Fetching
from viz.pictures import tokens
from viz.work.sessions import pool
from viz.work.visit import is_at_this_machine, session_id

OPEN = "own_model"
"""Key in the session, set while the dialog should be shown."""
_FETCHING = "own_fetching"
_WRONG = "own_hub_wrong"
_REFRESH = 1.0
"""Seconds between two updates of the progress of a download."""
_LONGEST_NAME = 300

Open = Callable[[str], None]
"""Opens a model by its name in the app."""


def show_cached(open_model: Open) -> None:
    """Offer the models of the user's Hugging Face cache."""
    found = {each.name: each for each in cached_models() if kind_of(each.path)}
    if not found:
        st.html(tokens.note(say("own.none_cached", folder=hub_cache())))
        return
    chosen = st.selectbox(
        say("own.cached"),
        found,
        index=None,
        format_func=lambda name: f"{name} · {shorten(kind_of(found[name].path))}",
        placeholder=say("own.choose"),
        key="own_cached",
    )
    if chosen in found:
        _show_one(found[chosen], open_model)


def show_hub(open_model: Open) -> None:
    """Offer to download a model, and show the progress."""
    if is_offline():
        st.html(tokens.note(str(HubError("offline", name=say("own.any_model")))))
        return
    row = st.form("own_hub", border=False).container(
        horizontal=True, vertical_alignment="bottom", gap="small", key="own_hub_row"
    )
    with row:
        st.text_input(
            say("own.hub"),
            max_chars=_LONGEST_NAME,
            placeholder="openai-community/gpt2",
            help=say("own.hub_help"),
            key="own_hub_name",
        )
        st.form_submit_button(say("own.look"), on_click=_look)
    if wrong := st.session_state.get(_WRONG):
        st.html(tokens.notice(say("own.not_found"), wrong))
    fetching = _fetching()
    if fetching:
        goes_on = not fetching.job.ended
        st.fragment(_watch, run_every=_REFRESH if goes_on else None)(
            fetching, open_model, goes_on=goes_on
        )


def words(fetching: Fetching) -> str:
    """Describe the progress of a download, for pages that know nothing about it."""
    done, size = fetching.job.progress
    if not fetching.downloads:
        return say("own.looking", name=fetching.name)
    return say("own.downloading", name=fetching.name, share=done / size if size else 0.0)


def reopen() -> None:
    """Show the dialog again."""
    st.session_state[OPEN] = True


def _show_one(found: CachedModel, open_model: Open) -> None:
    planned = planning.plan_of(found.path)
    lacking = found.lacks()
    title = folder_title(found.name, planned)
    st.html(tokens.note(say("own.one", title=title, commit=found.commit[:SHORT])))
    if lacking:
        st.html(tokens.note(str(HubError("partial", name=found.name, lacking=lacking))))
    elif isinstance(planned, str):
        st.html(tokens.note(planned))
    else:
        _offer_to_open(found.name, open_model, key="own_open_cached")


def _offer_to_open(name: str, open_model: Open, *, key: str) -> None:
    label = tokens.markdown(say("own.open", name=name))
    clicked = st.button(
        label, key=key, type="primary", on_click=open_model, args=(f"{PREFIX}{name}",)
    )
    if clicked:
        st.session_state.pop(_FETCHING, None)
        st.rerun()  # the list in the sidebar has grown


def _watch(fetching: Fetching, open_model: Open, *, goes_on: bool) -> None:
    """Show the offer of the Hub, or the progress of the download, and refresh while it runs."""
    job = fetching.job
    if goes_on == job.ended:  # only a new dialog updates all of itself
        reopen()
        st.rerun()
    if problem := fetching.problem:
        st.html(tokens.notice(say("own.not_found"), problem))
    elif fetching.opened_as:
        found = fetching.found
        commit = found.commit[:SHORT] if found else ""
        st.html(tokens.note(say("own.done", name=fetching.opened_as, commit=commit)))
        _offer_to_open(fetching.opened_as, open_model, key="own_open_fetched")
    elif not job.ended:
        _show_progress(fetching)
    else:
        _offer_download(fetching)


def _show_progress(fetching: Fetching) -> None:
    done, size = fetching.job.progress
    if not fetching.downloads:
        st.html(tokens.note(say("own.looking", name=fetching.name)))
    elif not size:
        st.progress(0.0, say("own.begins"))
    else:
        amounts = {"done": file_in_words(done), "size": file_in_words(size)}
        st.progress(min(1.0, done / size), say("own.progress", **amounts))
    st.button(say("own.stop"), key="own_stop", on_click=fetching.job.stop)


def _offer_download(fetching: Fetching) -> None:
    found = fetching.found
    if found is None:  # stopped before the Hub answered
        st.session_state.pop(_FETCHING, None)
        return
    about = {
        "name": fetching.name,
        "commit": found.commit[:SHORT],
        "count": found.files,
        "size": file_in_words(found.size),
        "left": file_in_words(found.left),
        "free": file_in_words(found.free),
    }
    st.html(tokens.note(say("own.offer", **about)))
    if fetching.downloads:
        st.html(tokens.note(say("own.stopped")))
    label = "continue" if fetching.downloads else "download" if found.left else "take"
    st.button(
        say_of("own.take", label, size=about["left"]),
        key="own_download",
        type="primary",
        on_click=_download,
        args=(fetching,),
    )


def _look() -> None:
    """Look up the typed name, if it is a valid name and the user may download here."""
    st.session_state.pop(_WRONG, None)
    st.session_state.pop(_FETCHING, None)
    typed = st.session_state.get("own_hub_name") or ""
    if not typed.strip() or not is_at_this_machine():
        return
    try:
        fetching = Fetching(read_name(typed), words, reopen)
    except HubError as error:
        st.session_state[_WRONG] = str(error)
        return
    st.session_state[_FETCHING] = fetching
    _fetches().look_up(fetching, session_id())


def _download(fetching: Fetching) -> None:
    if is_at_this_machine() and not is_offline() and fetching.job.ended:
        _fetches().download(fetching, session_id())


def _fetching() -> Fetching | None:
    """Return the download that this session started, or that its link names after a reload."""
    known = st.session_state.get(_FETCHING)
    if known is None and (id := address.said(KEY)):
        known = st.session_state[_FETCHING] = _fetches().find(id)
    return known


@st.cache_resource(max_entries=1, show_spinner=False)
def _fetches() -> Fetches:
    return Fetches(pool("hub", PLACES, GONE_AFTER))
