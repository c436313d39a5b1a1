"""The security headers of each answer, which limit what a browser may do with it."""

import hashlib
import re
from base64 import b64encode

from viz.alone.build import KERNEL

FRAMED = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""Policy of a page in a frame: its own scripts run, but isolated from the app and the network."""
KEPT = "default-src 'none'; sandbox; frame-ancestors 'none'"
"""Policy of a file to save: it can at most be shown."""

NOTES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Policy of the window with a lecture's notes: it runs the app's modules, and no inline code."""

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

    Nothing is loaded from elsewhere, and no inline scripts run except those of the documents.
    Streamlit makes a module of each component's code and fetches it as a blob, and it makes its
    style sheets in the browser, so `blob:` and inline styles must be allowed.
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
