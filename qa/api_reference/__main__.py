"""Writes docs/api.md: `python -m qa.api_reference`."""

import sys

from qa.api_reference.page import page
from qa.api_reference.source import ROOT

PAGE = ROOT / "docs" / "api.md"

if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")
