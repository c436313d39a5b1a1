import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from streamlit.runtime.scriptrunner import StopException

from model.checkpoints.checkpoint import load_checkpoint
from model.interruption import may_be_interrupted
from viz.models import running
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.result_cache import Store, most_bytes
from viz.run.view import per_view
from viz.work import visit

KB = 1000


def test_keeps_no_more_than_its_bytes_and_drops_what_was_not_asked_for_longest():
    store = Store(11 * KB)
    made: list[int] = []

    @store.cached
    def make(number: int) -> bytes:
        made.append(number)
        return bytes(3 * KB)

    for number in (1, 2, 3, 1, 4):
        make(number)
    assert made == [1, 2, 3, 4]
    assert store.kept_bytes <= 11 * KB
    make(1)
    assert made == [1, 2, 3, 4]
    make(2)
    assert made == [1, 2, 3, 4, 2]


def test_what_nobody_waits_for_ends_and_is_computed_for_whoever_asks_next(
    monkeypatch: pytest.MonkeyPatch,
):
    store, left = Store(KB), ["first"]
    monkeypatch.setattr(visit, "is_gone", lambda: bool(left))
    done: list[int] = []

    @store.cached
    def make() -> int:
        for step in range(9):
            if step == 4:
                may_be_interrupted()
            done.append(step)
        return 9

    page = visit.until_gone(make)
    with pytest.raises(StopException):
        page()
    assert done == [0, 1, 2, 3]
    left.clear()  # another session asks for the same result
    assert page() == page() == 9
    assert len(done) == 4 + 9


def test_gives_what_is_too_large_to_be_kept():
    store = Store(KB)

    @store.cached
    def make(length: int) -> bytes:
        return bytes(length)

    assert len(make(2 * KB)) == 2 * KB
    assert store.kept_bytes == 0


def test_keeps_one_of_any_size_where_it_may():
    store = Store(4 * KB, any_size=True)
    made: list[int] = []

    @store.cached
    def make(kilobytes: int) -> bytes:
        made.append(kilobytes)
        return bytes(kilobytes * KB)

    for kilobytes in (1, 2, 9, 9, 1):
        make(kilobytes)
    assert made == [1, 2, 9, 1]


def test_counts_the_text_that_a_value_is_kept_by():
    store = Store(1000 * KB)
    length = store.cached(len)
    for number in range(100):
        length(f"{number} {'a' * 20 * KB}")
    assert store.kept_bytes <= 1000 * KB
    assert store.kept_bytes > 40 * 20 * KB


def test_all_who_ask_at_once_wait_for_one_computation():
    store = Store(1000 * KB)
    begun, others = Event(), Barrier(8)
    made: list[str] = []

    @store.cached
    def make(name: str) -> str:
        begun.set()
        made.append(name)
        slow.wait()
        return name.upper()

    slow = Event()

    def ask() -> str:
        others.wait()
        return make("run")

    with ThreadPoolExecutor(9) as threads:
        answers = [threads.submit(ask) for _ in range(8)]
        assert begun.wait(30)
        assert threads.submit(store.cached(str), 1).result(30) == "1"  # other keys need not wait
        slow.set()
        assert {answer.result(30) for answer in answers} == {"RUN"}
    assert made == ["run"]


def test_what_could_not_be_computed_is_tried_again():
    store = Store(10 * KB)
    tries: list[int] = []

    @store.cached
    def make() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("too long")
        return "done"

    with pytest.raises(ValueError, match="too long"):
        make()
    assert make() == "done"


@pytest.mark.parametrize(
    ("named", "found"),
    [(None, 1_500_000_000), ("200", 200_000_000), ("", 1_500_000_000), ("much", 1_500_000_000)],
)
def test_the_environment_says_how_much_is_kept(monkeypatch, named, found):
    monkeypatch.delenv("LOUPE_MEMORY", raising=False)
    if named is not None:
        monkeypatch.setenv("LOUPE_MEMORY", named)
    assert most_bytes() == found


def test_what_is_made_of_a_view_is_made_once_for_each_run(checkpoints_folder, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(checkpoints_folder))
    made: list[tuple[str, int]] = []

    @per_view
    def make(view, number: int) -> str:
        made.append((view.run.source_text, number))
        return view.run.text

    def view(source: str):
        return running.open_view(Inputs("everyday-paper", source, "", "cpu"))

    cat, dog = view("the cat sleeps ."), view("the dog sees the cat .")
    assert view("the cat sleeps .").run is cat.run
    assert [make(cat, 1), make(cat, 1), make(cat, 2), make(dog, 1)] == [
        "le chat dort.",
        "le chat dort.",
        "le chat dort.",
        "le chien voit le chat.",
    ]
    assert made == [(cat.run.source_text, 1), (cat.run.source_text, 2), (dog.run.source_text, 1)]


def test_a_new_training_of_the_same_name_is_run_anew(tmp_path, checkpoints_folder, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))
    for name in ("everyday-paper", "everyday-headlist"):
        for suffix in (".json", ".safetensors"):
            content = (checkpoints_folder / f"{name}{suffix}").read_bytes()
            (tmp_path / f"everyday-paper{suffix}").write_bytes(content)
        found = running.open_view(Inputs("everyday-paper", "the cat sleeps .", "", "cpu"))
        assert found.run.info.name == name


def test_models_and_runs_need_no_garbage_collection_to_go(tiny_checkpoints):
    """Garbage is not collected after each click, so cycles would keep their tensors for a while."""
    gc.disable()
    try:
        checkpoint = load_checkpoint(tiny_checkpoints / "everyday-paper")
        run = make_run(checkpoint, "the cat sleeps .")
        pack_run(run, "key")
        left = [weakref.ref(thing) for thing in (*checkpoint.model.parameters(), run)]
        del checkpoint, run
        assert [thing() for thing in left] == [None] * len(left)
    finally:
        gc.enable()
