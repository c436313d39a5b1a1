"""The script of every page: its inputs, the run, the navigation. `app.py` serves it."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from model.anatomy import Anatomy
from model.checkpoints.errors import CheckpointError
from texts import say, speaking
from viz.address import address, history, link
from viz.address.language import follow_language
from viz.address.retired_links import open_successor, show_gone
from viz.frame import controls, heads, lent_model, messages, presenter
from viz.frame.bar import say_reading, show_bar, show_length, show_nothing, show_output
from viz.frame.changes import open_changed, show_changes
from viz.frame.deck import deck_data, offer_slide, show_slides
from viz.frame.pinned_run import offer_pin
from viz.frame.places import show_places
from viz.frame.plugged_pages import show_left_out
from viz.frame.presenting import is_presenting
from viz.frame.python import offer_python
from viz.frame.running import show_running
from viz.frame.saving import Offline, offer_saving
from viz.frame.scheme import follow_theme
from viz.frame.styles import show_style
from viz.frame.titles import checkpoint_titles
from viz.frame.wire import WireDeck
from viz.frame.words import page_title
from viz.lessons.in_app.navigation import Scene, arrive, is_there, scene
from viz.lessons.in_app.panel import show_covered, show_fault, show_panel
from viz.models import listing, machine, opening, own_checkpoints
from viz.models.beside_page import running_model, why_at_enter
from viz.models.browser_inputs import model_of, send_inputs
from viz.models.folders import PREFIX
from viz.models.guest_models import held
from viz.pages import AS_PYTHON, FIRST, FOREIGN_FIRST, LESSONS, PAGES, PLACES
from viz.pages import title as title_of
from viz.pictures import tokens
from viz.pictures.glossary import show_glossary
from viz.run.inputs import Inputs
from viz.run.redaction import covered, uncovered
from viz.run.run_queue import in_turn
from viz.run.sending import send_run
from viz.run.version import version
from viz.run.view import View
from viz.subjects.attention.offline import estimate, offline_page
from viz.subjects.map.picture import show_map

# The page that works offline. The frame knows no page; this offline page is that of attention.
OFFLINE = Offline(
    lambda view: estimate(view, link.current_selection(view.run)),
    lambda view, said: offline_page(
        view, link.current_selection(view.run), heads.measures(view), said
    ),
)

LOGO = Path(__file__).parent / "frame"


def main() -> None:
    """Show the page in the language of its session."""
    address.follow()
    with speaking(follow_language()):
        show_page()


@in_turn
def show_page() -> None:
    """Set up the page and choose a checkpoint."""
    st.set_page_config(page_title=page_title(), page_icon=str(LOGO / "loupe.png"), layout="wide")
    presenting = is_presenting()
    show_style(presenter=presenting)
    with st.container():  # always drawn, so that what follows keeps its place
        tools = presenter.leave_presenter() if presenting else None
    st.logo(str(LOGO / "loupe.svg"), size="large")
    follow_theme()
    lent_model.follow()
    controls.take_named()
    names = listing.listed_names()
    if not names:
        messages.report_no_checkpoint()
        return
    arrive()
    open_successor(names)
    with st.sidebar:
        name = controls.choose_checkpoint(names)
    try:
        show(name, checkpoint_titles(names)[name], tools)
    except CheckpointError as error:
        messages.report_broken(error)
    except machine.OUT_OF_MEMORY:
        machine.free_memory()
        messages.report_full()


def show(name: str, title: str, presented: presenter.PresenterTools | None) -> None:
    """Read the inputs, run the model on them, and open the page in view."""
    info = opening.read_info(name)
    links = st.container()
    lesson_place = st.container(key="lesson_place")
    with st.sidebar:
        save_place = presenter.choose_presenter()
        show_running()
        menu = st.expander(say("frame.menu"), key="side_menu")
    with menu:
        tools = st.container(key="run_tools", horizontal=True, gap="small")
        with st.container(horizontal=True, key="menu_fields", vertical_alignment="center"):
            controls.choose_language()
            presenter.offer_keys()
        device = controls.choose_device()
    bar = show_bar(info)
    changes = st.container(key="changes_place")
    with bar.notices:
        right = messages.check_texts(name, bar.source, bar.target)
    with lesson_place:  # the page of the lessons has no bar
        show_gone()
    inputs = Inputs(name, bar.source.text, messages.given_target(bar.target), device)
    wrong = history.follow_link(inputs)
    deck = deck_data({module.URL: title_of(module) for module in PAGES}, FIRST.URL, inputs)
    if presented:
        with presented.slides:
            show_slides(deck)
    pager = presented and presented.pager
    if right:
        say_reading(bar, inputs)
    else:
        show_nothing(bar)
    with menu:
        show_length(bar, info)
        opened_model = opening.open_model(name, device)
        controls.describe_model(opened_model, title, device)
        st.html(tokens.note(say("frame.version", version=version())))
        show_left_out()
    if opened_model.anatomy.is_recorded:
        with bar.notices:
            st.html(tokens.note(say("frame.recorded")))
            controls.describe_missing(opened_model)
    frame = Frame(links, lesson_place, pager, opened_model.anatomy, scene(), inputs, deck)
    if not right:
        navigate(lambda _module: None, frame)
        return
    opened = open_changed(inputs, wrong)
    if frame.asks:
        show_asked(opened.view, frame)
    else:
        show_output(bar, opened.view)
        if why := why_at_enter(opened.view):
            bar.notices.html(tokens.note(why))
        with changes:
            show_changes(opened)
        show_whole(opened.view, frame, tools, save_place)
    address.end_run()
    machine.settle()


class Frame(NamedTuple):
    """The frame of a page: places to fill, and what to show in them."""

    links: DeltaGenerator
    lesson_place: DeltaGenerator
    pager: DeltaGenerator | None
    anatomy: Anatomy
    step: Scene | None
    """The current step of a lesson."""
    inputs: Inputs
    deck: WireDeck
    """The data of the lecture."""

    @property
    def asks(self) -> bool:
        """Whether a question is open, so that the page shows nothing that tells its answer."""
        step = self.step
        return step is not None and (step.is_open or step.cover.hides)

    @property
    def is_there(self) -> bool:
        """Whether the inputs of the run are those of the lesson's step."""
        return self.step is not None and is_there(self.step, self.inputs)


def show_whole(view: View, frame: Frame, tools: DeltaGenerator, save_place: DeltaGenerator) -> None:
    """Show a run on the page in view, with everything around the page."""
    send_run(view.parcel)
    with st.sidebar:
        map_place = st.container(key="map_place")
    page = navigate(lambda module: open_page(module, view, frame), frame)
    is_start = not page.url_path  # its pictures need the weights in the page
    send_inputs(view, model_of(view) if is_start else running_model(view))
    st.set_page_config(page_title=page_title(page.title, view.inputs.source))
    page.run()
    show_glossary()
    with tools:
        offer_slide(frame.deck)
        offer_pin(view.inputs)
        offer_python(view, AS_PYTHON.get(page.url_path or FIRST.URL))
    with save_place:
        offer_saving(view, OFFLINE)
    with map_place:
        show_map(view, size="small", element_key="map_small")
    heads.send_measures(view)


def show_asked(view: View, frame: Frame) -> None:
    """Show the parts of a run that do not tell the answer to the open question."""
    step = frame.step
    assert step is not None
    cover = step.cover
    hidden = covered(view, cover)
    send_run(hidden.parcel)

    def render(module: ModuleType) -> None:
        if module is LESSONS:  # shows nothing of the run
            module.render(hidden)
        elif asks_on(module, frame):
            module.render_asked(hidden, cover)
        else:
            show_covered()

    navigate(render, frame).run()
    show_glossary()


def lacks(module: ModuleType, anatomy: Anatomy) -> str | None:
    """Explain why a page cannot show a model; None if it can."""
    needs: Callable[[Anatomy], str | None] | None = getattr(module, "NEEDS", None)
    return needs(anatomy) if needs else None


def model_with(module: ModuleType) -> str | None:
    """Return the first of Loupe's own models that a page can show."""
    for name in (each for each in own_checkpoints.checkpoint_names() if not held(each)):
        with suppress(CheckpointError):
            if not lacks(module, opening.open_model(name, "cpu").anatomy):
                return name
    return None


def asks_on(module: ModuleType, frame: Frame) -> bool:
    """Return whether a page can show, as a question, the subject of the lesson's step."""
    step = frame.step
    if step is None or step.resolved.page != module.URL or not frame.is_there:
        return False
    is_in_picture = step.cover.takes != "nothing" or step.resolved.surface is None
    return hasattr(module, "render_asked") and is_in_picture


def open_page(module: ModuleType, view: View, frame: Frame) -> None:
    """Draw a page, or explain why it cannot show this model.

    If a lesson asks about this page, draw only the part in question.
    """
    why = lacks(module, view.run.anatomy)
    lent_model.arrange(module, view.inputs.checkpoint, first=FIRST.URL, is_wanted=bool(why))
    if why:
        link.follow_selection(view.run, view.parcel.key, module.URL)
        messages.report_page_lacking(title_of(module), why, model_with(module))
    elif frame.step and frame.step.is_small and asks_on(module, frame):
        cover = frame.step.cover
        shown = covered(view, uncovered(cover))
        send_run(shown.parcel, place="run_asked")
        module.render_asked(shown, cover)
    else:
        if module is LESSONS and view.inputs.checkpoint.startswith(PREFIX):
            st.html(tokens.note(say("frame.lessons_own")))
        module.render(view)


def navigate(render: Callable[[ModuleType], None], frame: Frame) -> StreamlitPage:
    """Show the links to the pages, go to a requested page, and return the page in view.

    The step of a lesson is above the page.
    """
    pages = {
        module: st.Page(
            partial(render, module),
            title=title_of(module),
            url_path=module.URL,
            default=module is FIRST,
        )
        for module in PAGES
    }
    page = st.navigation(list(pages.values()), position="hidden")
    if page is pages[FIRST] and lacks(FIRST, frame.anatomy):
        st.switch_page(pages[FOREIGN_FIRST], query_params=address.written())
    with frame.links:
        places = {place: [pages[module] for module in PLACES[place]] for place in PLACES}
        show_places(places, page, first=FIRST.URL, pager=frame.pager)
    asked = link.page_to_open()
    opened = next((pages[module] for module in PAGES if asked == module.URL), None)
    if opened:  # a browser may request any page
        st.switch_page(opened, query_params=address.written())
    with frame.lesson_place:
        show_fault()
        if page.url_path != LESSONS.URL:
            show_panel(
                frame.step, there=frame.step is not None and is_there(frame.step, frame.inputs)
            )
    return page


if __name__ == "__main__":  # Streamlit runs it this way; other scripts call main()
    main()
