"""Runs what is asynchronous for the tests, in a thread that has no loop yet."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor


def finish(coroutine: Coroutine[object, object, None]) -> None:
    """Run to the end. The browser of other tests may keep a loop running in this thread."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, coroutine).result()
