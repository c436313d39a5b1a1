"""What is answered where something was asked for that is no longer kept."""

from starlette.requests import Request

from texts import accepted, say, speaking


def gone(request: Request) -> str:
    """Answer so, in the language that the browser prefers."""
    with speaking(accepted(request.headers.get("accept-language"))):
        return say("web.gone")
