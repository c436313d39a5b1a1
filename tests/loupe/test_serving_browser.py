"""The app starts from a user's process: a notebook's kernel, beside a module called `model`."""

import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError

import pytest
from playwright.sync_api import Browser, expect

from tests.browsing import ROOT, open_page, ready
from tests.kernel import running_kernel

BEFORE = f"""
import pickle, signal, sys, threading
import model
sys.path.append({str(ROOT)!r})
import torch
import loupe
class Mine: pass
main, path, threads = sys.modules["__main__"], [*sys.path], torch.get_num_threads()
stops = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
"""
STARTED = """
checkpoint = loupe.load("digits-paper")
parameters = [*checkpoint.model.parameters()]
page = loupe.trace(checkpoint, "3 1 4").html()  # with which Streamlit has read settings already
explorer = loupe.explore(checkpoint, "3 1 4")
"""
UNCHANGED = """
assert sys.modules["__main__"] is main and pickle.loads(pickle.dumps(Mine()))
assert sys.path == path and torch.get_num_threads() == threads and model.MINE
assert stops == (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))
print("as it was")
"""
HELD = """
from loupe._app.viz.models.guest_models import held, held_names
print(all(a is b for a, b in zip(parameters, held(held_names()[0]).model.parameters())))
"""


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], dict]]:
    folder = tmp_path_factory.mktemp("notebook")
    (Path(folder) / "model.py").write_text("MINE = True")
    with running_kernel(folder) as answer:
        answer(BEFORE)
        yield answer


def address_in(printed: str) -> str:
    said, _, address = printed.strip().rpartition(" ")
    assert said == "Loupe is at"
    return address


def is_there(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except URLError:
        return False


def test_the_app_shows_the_model_of_the_process_and_leaves_the_process_alone(
    answer: Callable[[str], dict], browser: Browser
) -> None:
    address = address_in(answer(STARTED)["text"])
    with open_page(browser, address) as page:
        ready(page)
        assert page.evaluate("loupe.run().tokens.source") == ["3", "1", "4", "</s>"]
        expect(page.get_by_text("from Python").first).to_be_attached()
        page.locator(".loupe-thumb").nth(1).click()
        expect(page.get_by_text("head 1").first).to_be_visible()
        page.get_by_role("link", name="Map", exact=True).first.click()
        page.wait_for_url("**/map*")
        ready(page)
        assert answer(UNCHANGED)["text"] == "as it was\n"
    assert answer(HELD)["text"] == "True\n"


def test_what_is_stopped_is_gone_and_can_be_started_again(
    answer: Callable[[str], dict], browser: Browser
) -> None:
    first = answer("print(explorer.address)")["text"].strip()
    second = address_in(answer("another = loupe.explore(checkpoint, '1 2')")["text"])
    answer("another.stop()")
    assert is_there(first)
    answer("explorer.stop()")
    assert not is_there(first)
    assert not is_there(second)
    third = address_in(answer("explorer = loupe.explore(checkpoint, '1 2')")["text"])
    with open_page(browser, third) as page:
        ready(page)
    answer("explorer.stop()")
    assert answer(UNCHANGED)["text"] == "as it was\n"
    assert (
        answer("print([t.name for t in threading.enumerate() if t.name == 'loupe'])")["text"]
        == "[]\n"
    )
