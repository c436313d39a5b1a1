"""The process that contacts the Hugging Face Hub: `python -m viz.models.hub_worker`.

The server itself connects to no other machine.
"""

import threading

from model.foreign.hub.download import download
from model.foreign.hub.names import HubError, read_name
from model.foreign.hub.offer import look_up
from viz.work.messages import Message
from viz.work.worker import Tell, serve


def work(request: Message, tell: Tell, asked: threading.Event) -> Message:
    """Look a model up, or download a commit that an earlier look-up found."""
    try:
        name, commit = read_name(request["name"]), request.get("commit")
        offer = look_up(name, commit=commit)
        if commit is None:
            offer.check_room()
            counts = {"files": len(offer.files), "size": offer.size, "left": offer.left}
            return {"commit": offer.commit, "free": offer.free, **counts}
        found = download(offer, lambda done, size: tell({"progress": [done, size]}), asked.is_set)
    except HubError as error:
        facts = {name: str(value) for name, value in error.facts.items()}
        return {"refused": error.reason, "facts": facts}
    return {"name": found.name}


if __name__ == "__main__":
    serve(work)
