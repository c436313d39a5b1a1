"""Run coroutines for the tests in a thread that has no event loop yet."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor


def finish(coroutine: Coroutine[object, object, None]) -> None:
    """Run a coroutine to its end, since a browser may keep an event loop running in this thread."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, coroutine).result()
