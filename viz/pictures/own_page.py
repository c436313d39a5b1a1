"""What a page of HTML that needs neither a server nor the network is made of."""

import base64
import hashlib
import json
import zlib

from texts import Language
from viz.pictures.browser_modules import imports_of, read_module, said_by
from viz.pictures.bundle import bundle

_SAY = "pictures/browser/say.js"


def deflated(numbers: bytes) -> str:
    """Write bytes as a page holds them: deflated, in base64."""
    return base64.b64encode(zlib.compress(numbers, 9)).decode()


def speaking_script(spoken: Language, name: str, call: str) -> str:
    """Write a module as one script that knows what it says in one language, and a call of it."""
    said = said_by([read_module(each) for each in imports_of(name)], spoken)
    texts = json.dumps({spoken: said}, ensure_ascii=False).replace("<", "\\u003c")
    speech = f'modules["{_SAY}"].learn({texts});\nmodules["{_SAY}"].speak("{spoken}");\n'
    return f'{bundle(name)}{speech}modules["{name}"].{call};\n'


def policy_of(script: str) -> str:
    """Let the page's one script run, known by its hash, and nothing else come in.

    Pictures are those that the page makes of itself, to be saved.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
