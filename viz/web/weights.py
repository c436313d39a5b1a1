"""The weights of checkpoints that a page has offered, for the browser to run the model itself."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from viz.pictures.browser_modules import base_path
from viz.run import weights
from viz.web.not_found import gone
from viz.web.policy import KEPT

_HEADERS = {
    "Content-Security-Policy": KEPT,
    "Cache-Control": "private, max-age=31536000, immutable",
}


def weight_routes() -> list[Route]:
    """Serve the files that pages have offered: these, by the name of their contents."""

    def send_weights(request: Request) -> Response:
        found = weights.find_weights(request.path_params["key"])
        if found is None:
            return PlainTextResponse(gone(request), 404)
        return Response(found, media_type="application/octet-stream", headers=_HEADERS)

    return [Route(f"{base_path()}/{weights.FOLDER}/{{key}}", send_weights, methods=["GET"])]
