"""How long people wait who open the app at the same moment: `python -m benchmarks.herd`.

Each session opens a websocket as a browser does and asks for the first page, all at once. What is
timed is from there until its script has run and all has arrived. The model and the run are in the
server's cache, as for a class that opens one link.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from benchmarks.browser import ROOT, serve

HERDS = (1, 10, 20, 40)
_SMALL = 4_000
"""Bytes of a message that may say that the script has run; larger ones are not looked into."""


def main() -> None:
    """Print a line for each herd."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--address", help="of a running server; otherwise one is started")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    if args.address:
        measure(args.address, args.rounds)
        return
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder), ROOT / "app.py") as address:
        measure(address, args.rounds)


def measure(address: str, rounds: int) -> None:
    """Open the app once to warm it up, then by each number of sessions at once."""
    asyncio.run(open_all(address, 2))
    print(" sessions   p50, s   p95, s   max, s")
    for sessions in HERDS:
        times = sorted(t for _ in range(rounds) for t in asyncio.run(open_all(address, sessions)))
        p95 = times[min(len(times) - 1, round(0.95 * len(times)))]
        print(f"{sessions:9} {statistics.median(times):8.2f} {p95:8.2f} {times[-1]:8.2f}")


async def open_all(address: str, sessions: int) -> list[float]:
    """Open sessions at once; give the seconds that each waited."""
    return await asyncio.gather(*(open_one(address) for _ in range(sessions)))


async def open_one(address: str) -> float:
    """Open one session; give the seconds until its page had come."""
    host = urlsplit(address).netloc
    begun = time.perf_counter()
    async with connect(
        f"ws://{host}/_stcore/stream",
        origin=f"http://{host}",  # pyright: ignore[reportArgumentType] - a str by another name
        subprotocols=["streamlit"],  # pyright: ignore[reportArgumentType]
        max_size=None,
        open_timeout=None,
    ) as stream:
        ask = BackMsg()
        ask.rerun_script.query_string = ""
        await stream.send(ask.SerializeToString())
        while not is_last(await stream.recv()):
            pass
        return time.perf_counter() - begun


def is_last(data: str | bytes) -> bool:
    """Say whether a message ends a run of the script."""
    if not isinstance(data, bytes) or len(data) > _SMALL:
        return False
    message = ForwardMsg()
    message.ParseFromString(data)
    return message.WhichOneof("type") == "script_finished"


if __name__ == "__main__":
    main()
