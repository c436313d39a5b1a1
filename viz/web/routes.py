"""The server's routes besides Streamlit's, and the guard before all of them."""

from collections.abc import Callable, Sequence
from pathlib import Path

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from texts import accepted, say, speaking
from viz.models import weights
from viz.pictures import iframes
from viz.pictures.served import address, base_path
from viz.pictures.theme import colour_variables
from viz.web.files import Files
from viz.web.guard import Guard
from viz.web.policy import FRAMED, KEPT, NOTES
from viz.web.shell import page_routes, read_language

_OF_FRAMES = {
    "Content-Security-Policy": FRAMED,
    "X-Frame-Options": "SAMEORIGIN",
    "Cache-Control": "private, max-age=86400, immutable",
}
_OF_WEIGHTS = {
    "Content-Security-Policy": KEPT,
    "Cache-Control": "private, max-age=31536000, immutable",
}
_HERE = Path(__file__).parent
_NOTES_MODULE = "frame/browser/deck_notes_page.js"
_NOTES_PATH = "lecture/notes"


def own_routes() -> list[BaseRoute]:
    """Return the routes to the pages, and to the files that they fetch."""
    return [*page_routes(), *_notes_routes(), *kept_routes()]


def guarded(routes: Sequence[BaseRoute]) -> list[Middleware]:
    """Refuse all requests except for these routes, the files and Streamlit's own paths."""
    return [Middleware(Guard, own=routes), Middleware(Files)]


def _notes_routes() -> list[Route]:
    """Serve the window with the notes of a lecture, a document that the app's modules fill."""
    base = base_path()
    document = (_HERE / "notes.html").read_text(encoding="utf-8")
    document = document.replace("BASE", base).replace("MODULE", address(_NOTES_MODULE))
    style = f".stApp {{\n{colour_variables()}\n}}\n{(_HERE / 'notes.css').read_text('utf-8')}"
    headers = {"Content-Security-Policy": NOTES, "Cache-Control": "no-cache"}

    async def open_notes(request: Request) -> Response:
        page = document.replace("LANGUAGE", read_language(request))
        return HTMLResponse(page, headers=headers)

    async def send_style(_request: Request) -> Response:
        return Response(style, media_type="text/css", headers=headers)

    return [
        Route(f"{base}/{_NOTES_PATH}", open_notes, methods=["GET"]),
        Route(f"{base}/{_NOTES_PATH}.css", send_style, methods=["GET"]),
    ]


def kept_routes() -> list[Route]:
    """Serve the documents in frames, and the weights of models that run in the browser."""

    def send_document(key: str) -> Response | None:
        document = iframes.find_document(key)
        return None if document is None else HTMLResponse(document, headers=_OF_FRAMES)

    def send_weights(key: str) -> Response | None:
        found = weights.find_file(key)
        kind = "application/json" if key.endswith(".json") else "application/octet-stream"
        return None if found is None else Response(found, media_type=kind, headers=_OF_WEIGHTS)

    return [_kept_route(iframes.FOLDER, send_document), _kept_route(weights.FOLDER, send_weights)]


def _kept_route(folder: str, send: Callable[[str], Response | None]) -> Route:
    def answer(request: Request) -> Response:
        if found := send(request.path_params["key"]):
            return found
        with speaking(accepted(request.headers.get("accept-language"))):
            return PlainTextResponse(say("web.gone"), 404)

    return Route(f"{base_path()}/{folder}/{{key}}", answer, methods=["GET"])
