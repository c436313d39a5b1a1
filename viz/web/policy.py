"""What a browser may do with what the server sends: the security headers of each answer."""

import hashlib
import re
from base64 import b64encode

from viz.alone.build import KERNEL

FRAMED = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""Of a page in a frame: its own scripts run, cut off from the app, and reach nothing."""
KEPT = "default-src 'none'; sandbox; frame-ancestors 'none'"
"""Of a file to keep: it shows itself at most."""

NOTES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The window with a lecture's notes runs the app's modules, and nothing inline."""

_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def page_policy(*shells: str) -> str:
    """Return the policy of the app's pages, which are these documents.

    Nothing comes from elsewhere. Of inline scripts those of the documents run and no others.
    Streamlit makes a module of each component's code and fetches it as a blob, and its
    style sheets are made in the browser: `blob:` and inline styles cannot be spared.
    """
    inline = {script for shell in shells for script in _INLINE_SCRIPT.findall(shell)}
    hashes = " ".join(sorted(f"'sha256-{_digest(script)}'" for script in inline))
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' blob: {KERNEL} {hashes}",
            "worker-src 'self' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "frame-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def security_headers(policy: str) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer with this Content-Security-Policy."""
    headers = _ALWAYS | {"Content-Security-Policy": policy}
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def _digest(script: str) -> str:
    return b64encode(hashlib.sha256(script.encode()).digest()).decode()
