"""What pages have offered, each under an address made of its contents: frames, and weights."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from texts import accepted, say, speaking
from viz.models import weights
from viz.pictures import iframes
from viz.pictures.served import base_path
from viz.web.policy import FRAMED, KEPT

_OF_FRAMES = {
    "Content-Security-Policy": FRAMED,
    "X-Frame-Options": "SAMEORIGIN",
    "Cache-Control": "private, max-age=86400, immutable",
}
_OF_WEIGHTS = {
    "Content-Security-Policy": KEPT,
    "Cache-Control": "private, max-age=31536000, immutable",
}


def kept_routes() -> list[Route]:
    """Serve the documents that pages show in frames, and the weights of models that run there."""

    def send_document(key: str) -> Response | None:
        document = iframes.find_document(key)
        return None if document is None else HTMLResponse(document, headers=_OF_FRAMES)

    def send_weights(key: str) -> Response | None:
        found = weights.find_file(key)
        kind = "application/json" if key.endswith(".json") else "application/octet-stream"
        return None if found is None else Response(found, media_type=kind, headers=_OF_WEIGHTS)

    return [_route(iframes.FOLDER, send_document), _route(weights.FOLDER, send_weights)]


def _route(folder: str, send: Callable[[str], Response | None]) -> Route:
    def answer(request: Request) -> Response:
        if found := send(request.path_params["key"]):
            return found
        with speaking(accepted(request.headers.get("accept-language"))):
            return PlainTextResponse(say("web.gone"), 404)

    return Route(f"{base_path()}/{folder}/{{key}}", answer, methods=["GET"])
