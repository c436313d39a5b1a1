"""The documents in frames, each under an address made of its contents."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from viz.pictures import iframes
from viz.pictures.browser_modules import base_path
from viz.web.not_found import gone
from viz.web.policy import FRAMED

_HEADERS = {
    "Content-Security-Policy": FRAMED,
    "X-Frame-Options": "SAMEORIGIN",
    "Cache-Control": "private, max-age=86400, immutable",
}


def frame_routes() -> list[Route]:
    """Serve the documents that pages show in frames."""

    async def send_document(request: Request) -> Response:
        document = iframes.find_document(request.path_params["key"])
        if document is None:
            return PlainTextResponse(gone(request), 404)
        return HTMLResponse(document, headers=_HEADERS)

    return [Route(f"{base_path()}/{iframes.FOLDER}/{{key}}", send_document)]
