"""The window with the notes of a lecture: a separate document, which the app's modules fill."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from viz.pictures.served import address, base_path
from viz.pictures.theme import colour_variables
from viz.web.policy import NOTES
from viz.web.shell import read_language

_HERE = Path(__file__).parent
_MODULE = "frame/browser/deck_notes_page.js"
_PATH = "lecture/notes"


def notes_routes() -> list[Route]:
    """Serve the document and its style."""
    base = base_path()
    document = (_HERE / "notes.html").read_text(encoding="utf-8")
    document = document.replace("BASE", base).replace("MODULE", address(_MODULE))
    style = f".stApp {{\n{colour_variables()}\n}}\n{(_HERE / 'notes.css').read_text('utf-8')}"
    headers = {"Content-Security-Policy": NOTES, "Cache-Control": "no-cache"}

    async def open_notes(request: Request) -> Response:
        page = document.replace("LANGUAGE", read_language(request))
        return HTMLResponse(page, headers=headers)

    async def send_style(_request: Request) -> Response:
        return Response(style, media_type="text/css", headers=headers)

    return [
        Route(f"{base}/{_PATH}", open_notes, methods=["GET"]),
        Route(f"{base}/{_PATH}.css", send_style, methods=["GET"]),
    ]
