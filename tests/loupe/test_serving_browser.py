"""The app from the process of a user: a notebook's kernel, beside a module called `model`."""

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
from loupe._app.viz.run.guest_models import held, held_names
print(all(a is b for a, b in zip(parameters, held(held_names()[0]).model.parameters())))
"""
TRANSLATOR = """
from torch import nn
class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 32)
        self.core = nn.Transformer(32, 4, 2, 2, 64, batch_first=True)
        self.out = nn.Linear(32, 5)
    def forward(self, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
        return self.out(self.core(self.embed(source), self.embed(target), tgt_mask=mask))
class Marked:
    names = "<s> </s> a b c".split()
    def encode(self, text): return [0, *map(self.names.index, text.split()), 1]
    def decode(self, ids): return " ".join(self.names[i] for i in ids)
translator = Translator().train()
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


def test_a_module_without_a_transformer_is_refused(answer: Callable[[str], dict]) -> None:
    said = answer(
        "try: loupe.explore(torch.nn.Linear(1, 1), str.split, 'a')\n"
        "except Exception as e: print(type(e).__name__, e)"
    )
    assert said["text"].startswith("TypeError a tokenizer must give whole numbers")
    said = answer(
        "try: loupe.explore(torch.nn.Linear(1, 1), lambda text: [1], 'a')\n"
        "except Exception as e: print(type(e).__name__, e)"
    )
    assert said["text"].startswith("ValueError the pages cannot show Linear: there is no nn.")


def test_a_module_round_torchs_transformer_is_shown_on_the_pages(
    answer: Callable[[str], dict], browser: Browser
) -> None:
    answer(TRANSLATOR)
    printed = answer("explorer = loupe.explore(translator, Marked(), 'b a c', target='c b')")
    with open_page(browser, address_in(printed["text"])) as page:
        ready(page)
        expect(page.locator(".loupe-thumb")).to_have_count(8)
        assert page.evaluate("loupe.run().tokens.source") == ["<s>", "b", "a", "c", "</s>"]
        assert page.evaluate("loupe.run().tokens.target") == ["<s>", "c", "b", "</s>"]
        page.get_by_role("link", name="Write", exact=True).click()
        page.wait_for_url("**/decoding*")
        ready(page)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert answer("print(translator.training)")["text"] == "True\n"
    answer("explorer.stop()")
