"""Explorers in a real browser: two on one page, failing pictures, removed pictures."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page

from tests.browsing import open_library

SCRIPT = """
import { createLoupe } from "/pictures/browser/explorer.js";
import { components as run } from "/pictures/browser/run.js";
import { components as selection } from "/pictures/browser/selection.js";
const tokens = (loupe, { host, listen }) => {
  const draw = () => {
    const read = loupe.run().tokens.source.map((token, key) => {
      const node = document.createElement("button");
      node.textContent = token;
      node.classList.toggle("chosen", key === loupe.selection?.key);
      node.onclick = () => loupe.select({ key });
      return node;
    });
    host.replaceChildren(...read);
  };
  listen(draw);
  return draw;
};
const stack = (rows, columns, queries, keys) => ({
  name: "x.{layer}.weights", layers: 1, heads: 1, rows, columns, drawn: [rows, columns], offset: 0,
  queries, keys,
});
const [read, written, before] = [["source", 0], ["target", 1], ["target", 0]];
const parcel = (key, source, target) => {
  const [s, t] = [source.length, target.length - 1];
  return {
    meta: {
      run: key,
      kinds: {
        "encoder self-attention": stack(s, s, read, read),
        "decoder self-attention": stack(t, t, written, before),
        "cross-attention": stack(t, s, written, read),
      },
      tokens: { source, target }, languages: ["A", "B"], axes: {}, gold: null,
    },
    codes: { getChild: () => ({ toArray: () => new Uint16Array(400) }) },
  };
};
window.explore = (place, key, source, target) => {
  const root = document.getElementById(place);
  const loupe = createLoupe(root);
  const sent = [];
  const mount = (name, setup, data) => {
    const parentElement = document.createElement("div");
    root.append(parentElement);
    const setTriggerValue = (...all) => sent.push(all);
    return loupe.mount(name, setup, { data, parentElement, setTriggerValue });
  };
  mount("run", run.run, parcel(key, source, target));
  const ends = {
    tokens: mount("tokens", tokens, {}),
    selection: mount("selection", selection.selection, {
      selection: {
        run: key, kind: "cross-attention", layer: 0, head: 0, query: 0, key: 0, step: 0,
      },
      number: 0, page: "",
    }),
  };
  return { loupe, root, sent, mount, ends };
};
window.left = explore("left", "one", ["a", "b", "c"], ["<s>", "x", "y"]);
window.right = explore("right", "two", ["d", "e"], ["<s>", "u", "v", "w"]);
"""
LIT = "({root}) => [...root.querySelectorAll('.chosen')].map((n) => n.textContent)"


@contextmanager
def two_explorers(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    places = '<div id="left" tabindex="0"></div><div id="right" tabindex="0"></div>'
    open_library(page, f'<div class="stApp" style="--ink: black">{places}</div>', SCRIPT)
    page.wait_for_function("() => Boolean(window.right?.loupe)")
    yield page
    page.close()


def test_two_explorers_on_one_page_have_runs_and_selections_of_their_own(browser: Browser):
    with two_explorers(browser) as page:
        assert page.evaluate("[...left.loupe.runs.keys()]") == ["one"]
        assert page.evaluate("[...right.loupe.runs.keys()]") == ["two"]
        page.locator("#left button", has_text="c").click()
        assert page.evaluate("left.loupe.selection.key") == 2
        assert page.evaluate("right.loupe.selection.key") == 0
        assert page.evaluate(f"({LIT})(left)") == ["c"]
        assert page.evaluate(f"({LIT})(right)") == ["d"]
        told = page.evaluate("left.sent.map(([event, value]) => [event, value.run, value.key])")
        assert told == [["commit", "one", 2]]
        assert page.evaluate("right.sent") == []


def test_keys_move_the_explorer_that_they_are_pressed_in(browser: Browser):
    with two_explorers(browser) as page:
        page.locator("#right").focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("[left.loupe.selection.key, right.loupe.selection.key]") == [0, 1]


def test_a_picture_that_fails_stops_neither_the_others_nor_the_commit(browser: Browser):
    with two_explorers(browser) as page:
        reported: list[str] = []
        page.on("console", lambda m: reported.append(m.text) if m.type == "error" else None)
        page.evaluate(
            """() => {
              const fails = (loupe, { listen }) => {
                listen(() => { throw new Error("no room"); });
                return () => { throw new Error("no data"); };
              };
              left.mount("broken", fails, {});
              const follows = (loupe, { listen }) => {
                listen((what) => (window.heard = what));
                return () => {};
              };
              left.mount("last", follows, {});
              left.loupe.select({ key: 1 });
            }"""
        )
        assert page.evaluate("window.heard") == "selection"
        assert page.evaluate("left.sent.at(-1)[1].key") == 1
        assert page.locator(".loupe-broken").inner_text() == "This picture could not be drawn."
        assert [("no data" in text, "no room" in text) for text in reported] == [
            (True, False),
            (False, True),
        ]


def test_a_picture_that_leaves_takes_its_listeners_along(browser: Browser):
    with two_explorers(browser) as page:
        page.evaluate("left.ends.selection()")
        page.locator("#left").focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("left.loupe.selection.key") == 0
        page.evaluate("left.ends.tokens()")
        assert page.locator("#left button").count() == 0
        page.evaluate("left.loupe.select({ key: 1 })")
        assert page.locator("#right button").count() == 2


def test_only_the_latest_mount_cleans_up(browser: Browser):
    """Streamlit also calls the cleanup of a call that one with newer data has overtaken."""
    with two_explorers(browser) as page:
        counts = page.evaluate(
            """() => {
              const parentElement = document.createElement("div");
              right.root.append(parentElement);
              const setup = (loupe, { host }) => (data) => { host.textContent = data; };
              const mount = (data) =>
                right.loupe.mount("late", setup, { data, parentElement, setTriggerValue() {} });
              const first = mount("old");
              const second = mount("new");
              first();
              const kept = parentElement.textContent;
              second();
              return [kept, parentElement.childElementCount];
            }"""
        )
        assert counts == ["new", 0]
