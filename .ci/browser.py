"""Install Playwright's Chromium and put it on the PATH: `python .ci/browser.py FOLDER`.

The tests look for a browser on the PATH. Under GitHub Actions, the later steps of a job get the
folder; elsewhere it is printed.
"""

import os
import subprocess
import sys
from pathlib import Path


def main(folder: Path) -> None:
    """Install the browser, and name the folder with its program."""
    from playwright.sync_api import sync_playwright

    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)
    with sync_playwright() as playwright:
        browser = Path(playwright.chromium.executable_path)
    added = f"{on_path(browser, folder)}\n"
    sys.stdout.write(added)
    if said := os.environ.get("GITHUB_PATH"):
        with Path(said).open("a", encoding="utf-8") as file:
            file.write(added)


def on_path(browser: Path, folder: Path) -> Path:
    """Return a folder in which the browser has a name that the tests look for.

    Chromium on Windows is `chrome.exe`. On macOS, its name has spaces, and it would not
    find its parts through a link, so a script starts it.
    """
    if browser.name == "chrome.exe":
        return browser.parent
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "chromium"
    script.write_text(f'#!/bin/sh\nexec "{browser}" "$@"\n', encoding="utf-8", newline="\n")
    script.chmod(0o755)
    return folder


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
