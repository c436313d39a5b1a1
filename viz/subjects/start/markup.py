"""The words around the picture of Start, as HTML."""

from markupsafe import Markup

from viz.pictures.tokens import escape


def title(text: str) -> Markup:
    """Return the page's heading, which says what Loupe is."""
    return Markup('<h1 class="loupe-start-title">{}</h1>').format(escape(text))


def tour_stop(place: str, title: str, said: str) -> Markup:
    """Return the heading of a stop of the tour."""
    return Markup(
        '<div class="loupe-start-stop" role="status"><p class="loupe-start-place">{}</p>'
        "<h1>{}</h1><p>{}</p></div>"
    ).format(escape(place), escape(title), escape(said))
