"""Decoding: the next token's distribution at each step, other choices, the beam, every depth."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.pictures import tokens
from viz.run.link import follow_selection
from viz.run.parcel import run_key
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.decoding.cache import (
    find_hypothesis,
    find_path,
    lens_parcel,
    path_parcel,
    tree_parcel,
)
from viz.subjects.decoding.paths import Path
from viz.subjects.decoding.pictures import (
    BranchCard,
    pack_branches,
    send_path,
    show_branches,
    show_lens,
    show_losses,
    show_player,
    show_tree,
)
from viz.subjects.decoding.recipe import LAST_SEED, PENALTIES, WIDTHS, Mode, Recipe
from viz.subjects.decoding.studio import Studio, explore, explores, follow_studio, with_branches
from viz.subjects.decoding.studio_actions import (
    draw_again,
    drop_branch,
    forget_hypothesis,
    pick_hypothesis,
    play_branch,
    rest,
    return_to_choice,
    take_token,
    undo_branch,
)

TITLE = "Decoding"
URL = "decoding"

_BASES: dict[Mode, str] = {
    "Given": "The given target",
    "Greedy": "The model's choice",
    "Sampling": "The sample",
    "Beam": "The best of the beam",
}
_WAS_GIVEN = "decoding_was_given"
"""Whether the target of the run before was given: what is played changes with it."""
_WIDTH, _PENALTY = 4, 0.6
"""Of the beam, to begin with."""


@st.fragment
def render(view: View) -> None:
    """Play a decoding step by step, take other tokens, and see what else the model weighed."""
    if explores():
        st.rerun()
    selection = follow_selection(view.run, view.parcel.key, URL)
    studio, notes = follow_studio(view.parcel.key)
    with st.container(border=True, key="card_decoding_player", gap="small"):
        recipe = _choose_recipe(view, studio)
        place = st.container()
        with st.spinner("Decoding", show_time=True):
            paths, lost = _find_paths(view, recipe, studio)
            studio = with_branches(studio, tuple(path.branch for path in paths[1:]))
            played, node = _find_played(view, recipe, studio, paths)
        for note in (*notes, *lost):
            st.warning(tokens.markdown(note))
        key = run_key(view.parcel.key, recipe, studio.branch, node)
        send_path(path_parcel(view, recipe, studio.branch, node, key))
        show_player(
            _player_data(studio, selection, recipe, node or played.hypothesis, key),
            on_take=partial(take_token, view, recipe, studio, played),
            on_rest=rest,
            on_draw=draw_again,
        )
        _say_what_is_odd(view, place, played, is_picked=node is not None)
    if recipe.mode == "Given" and not studio.branch:
        with st.container(border=True, key="card_decoding_losses", gap="small"):
            show_losses(key)
    with st.container(border=True, key="card_decoding_branches", gap="small"):
        _show_branches(view, studio, paths, played, key, recipe)
    if recipe.mode == "Beam":
        with st.container(border=True, key="card_decoding_tree", gap="small"):
            with st.spinner("Drawing the tree", show_time=True):
                parcel = tree_parcel(view, recipe, studio.branch)
            show_tree(parcel, on_pick=pick_hypothesis)
    with st.container(border=True, key="card_decoding_lens", gap="small"):
        show_lens(lens_parcel(view, recipe, studio.branch, node, key))


def _choose_recipe(view: View, studio: Studio) -> Recipe:
    modes: tuple[Mode, ...] = ("Greedy", "Sampling", "Beam")
    given = view.run.given
    if given:
        modes = ("Given", *modes)
    if st.session_state.get(_WAS_GIVEN, given) != given:
        st.session_state["decoding"] = modes[0]
    st.session_state[_WAS_GIVEN] = given
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.html(tokens.heading("One step at a time"), width="content")
        mode: Mode = st.segmented_control(
            "Written by",
            modes,
            default=modes[0],
            required=True,
            key="decoding",
            bind="query-params",
            on_change=forget_hypothesis,
            label_visibility="collapsed",
        )
        if mode == "Sampling":
            return Recipe(mode, studio.drawn, studio.seed)
        if mode != "Beam":
            return Recipe(mode)
        width = st.slider(
            "Width",
            *WIDTHS,
            _WIDTH,
            key="beam_width",
            bind="query-params",
            on_change=forget_hypothesis,
            width=200,
        )
        penalty = st.slider(
            "Length penalty α",
            *PENALTIES,
            _PENALTY,
            0.1,
            key="length_penalty",
            bind="query-params",
            on_change=forget_hypothesis,
            width=200,
            help="A hypothesis is scored by its log-probability over ((5 + length) / 6)^α.",
        )
    return Recipe(mode, width=width, length_penalty=penalty)


def _find_paths(view: View, recipe: Recipe, studio: Studio) -> tuple[list[Path], list[str]]:
    """Decode the model's choice and every branch; leave out, with a note, one that cannot be."""
    paths = [find_path(view, recipe, ())]
    notes: list[str] = []
    for number, branch in enumerate(studio.branches, start=1):
        try:
            paths.append(find_path(view, recipe, branch))
        except ValueError as error:
            notes.append(f"Branch {number} cannot be taken here: {error}.")
    return paths, notes


def _find_played(
    view: View, recipe: Recipe, studio: Studio, paths: list[Path]
) -> tuple[Path, int | None]:
    """Give the path that is played, and its hypothesis where another than the best was picked."""
    played = paths[studio.played]
    if recipe.mode != "Beam" or studio.node in (None, played.hypothesis):
        return played, None
    try:
        return find_hypothesis(view, recipe, studio.branch, studio.node), studio.node
    except ValueError as error:
        st.warning(tokens.markdown(f"The link asks for a hypothesis that is not here: {error}."))
        return played, None


def _player_data(
    studio: Studio, selection: Selection, recipe: Recipe, node: int | None, key: str
) -> dict[str, object]:
    return {
        "path": key,
        "mode": recipe.mode,
        "at": selection.step if studio.at is None else studio.at,
        "shaping": list(studio.shaping),
        "drawn": [*studio.drawn, studio.seed],
        "lastSeed": LAST_SEED,
        "mean": studio.mean,
        "node": node,
    }


def _say_what_is_odd(view: View, place: DeltaGenerator, played: Path, *, is_picked: bool) -> None:
    run = view.run
    said: list[str] = []
    if len(played.ids) == 1 and played.finished:
        said.append(
            "The model wrote </s> at once. Take another of its candidates to go on from there, or "
            "give it a target in the sidebar."
        )
    if not played.finished and not is_picked:
        said.append(f"Stopped after {len(played.ids)} tokens, before an </s>.")
    if not run.info.config.causal_mask:
        said.append(
            "This variant has no causal mask: earlier positions change with each new token, so "
            "nothing can be kept in a cache, and every step reads the whole target so far."
        )
    with place:
        for text in said:
            st.html(tokens.note(text))


def _show_branches(
    view: View, studio: Studio, paths: list[Path], played: Path, key: str, recipe: Recipe
) -> None:
    target = view.run.info.tokenizers.target
    base = _BASES[recipe.mode]
    cards = [BranchCard(base, paths[0], target.decode(paths[0].ids))]
    for path in paths[1:]:
        last = path.branch[-1]
        title = f"“{target.token(last.token)}” at step {last.step}"
        cards.append(BranchCard(title, path, target.decode(path.ids)))
    show_branches(
        pack_branches(cards, None if studio.node is not None else studio.played),
        key,
        on_play=partial(play_branch, studio),
        on_drop=partial(drop_branch, studio),
    )
    text = target.decode(played.ids)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Undo the latest branch",
            key="decoding_undo",
            disabled=not studio.branches,
            on_click=undo_branch,
            args=(studio,),
        )
        st.button(
            f"Return to {base[0].lower()}{base[1:]}",
            key="decoding_return",
            disabled=not studio.played and studio.node is None,
            on_click=return_to_choice,
            args=(studio,),
        )
        st.button(
            "Explore this target",
            key="decoding_explore_target",
            disabled=not text or text == st.session_state.get("target"),
            on_click=explore(text),
            help="Gives the text that is played to all pages as the target.",
        )
