"""The question of Start, stage by stage: its text, bars, figures, arcs, vectors as colours."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.numbers import SHARE, nearest, read_number
from qa.audit.pages.reruns import without
from qa.audit.reference.files import Array
from qa.audit.reference.layers import softmax
from qa.audit.truth import Truth
from qa.audit.visit import Visit

_KIND = "encoder self-attention"
_SCENES = ("guess", "query", "scores", "softmax", "mix", "answer")
_SHADE = 0.5 / 200 + 2e-4
"""The number of colours."""
_LEAST_ARC, _LEAST_SAID = 0.015, 0.05
"""The weight from which an arc is drawn, and a share is stated."""


class _Question:
    """The row in question: a word, and the head of the encoder that reads for it."""

    def __init__(self, visit: Visit, layer: int, head: int, query: int) -> None:
        run = visit.truth.run
        self.layer, self.head, self.query = layer, head, query
        self.tokens = visit.truth.axis(_KIND)[0]
        self.weights = run.stacked(_KIND, "weights")[layer, head]
        self.row = self.weights[query]
        self.scores = run.stacked(_KIND, "scores")[layer, head, query]
        self.q = run.stacked(_KIND, "query")[layer, head, query]
        self.keys = run.stacked(_KIND, "key")[layer, head]
        self.values = run.stacked(_KIND, "value")[layer, head]
        self.mix = run.stacked(_KIND, "heads")[layer, head, query]

    def near(self, values: Array, within: float = 2e-5) -> list[str]:
        """Name the key with the largest value, and all that are equal to it in float32."""
        return [self.tokens[i] for i in np.flatnonzero(values >= values.max() - within)]


def check_stages(visit: Visit) -> None:
    """Go through the stages, and check all that each shows against the row that it names."""
    _go(visit, "query")
    said = re.search(r"\(layer (\d+), head (\d+)\)", visit.text(".loupe-start-formula"))
    asked = visit.page.evaluate(
        """() => auditAll('.loupe-start-words button').findIndex((b) =>
          b.classList.contains('loupe-start-asked'))"""
    )
    if said is None or asked < 0:
        visit.missing("the head that is asked about")
        return
    question = _Question(visit, int(said[1]), int(said[2]), asked)
    size = ("size of a vector", len(question.q))
    visit.says(visit.text(".loupe-start-formula"), "^<#> numbers each", size, missing=size[0])
    for scene in _SCENES:
        _go(visit, scene)
        there = visit.at(f"{scene}, L{said[1]} H{said[2]}, row {asked}")
        _check_words(there, question, is_secret=scene == "guess")
        _check_colours(there, question, scene)
        {
            "scores": _check_scores, "softmax": _check_shares,
            "mix": _check_mix, "answer": _check_effect,
        }.get(scene, lambda *_: None)(there, question)  # fmt: skip


def _go(visit: Visit, scene: str) -> None:
    visit.page.locator(".loupe-start-stages a").nth(_SCENES.index(scene)).click()
    visit.page.locator(f"[data-scene={scene}]").wait_for()
    visit.rest()


def _check_listed(visit: Visit, what: str, said: str, question: _Question, row: Array) -> None:
    """Check "84% animal, 9% street": the largest shares of a row, up to four, no others."""
    found = re.findall(rf"({SHARE}) (\S+?)(?:, |\.$|$|, as)", said)
    most = np.sort(row[row >= _LEAST_SAID])[::-1][:4]
    if np.abs(row - _LEAST_SAID).min() > 1e-5:
        visit.same(what, len(found), len(most))
    for (share, name), computed in zip(found, most, strict=False):
        visit.stated(what, share, computed, 1e-5, name)
        of_name = [w for w, token in zip(row, question.tokens, strict=True) if token == name]
        visit.stated(what, share, nearest(of_name or [np.nan], share), 1e-5, name)


def _check_words(visit: Visit, question: _Question, *, is_secret: bool) -> None:
    """Check the text of each word about its row, for readers who do not see the lines."""
    labels = visit.page.evaluate(
        """() => auditAll('.loupe-start-words button').map((b) => b.getAttribute('aria-label'))"""
    )
    visit.same("words", [re.split(", reads |, the word", x)[0] for x in labels], question.tokens)
    for at, (label, row) in enumerate(zip(labels, question.weights, strict=False)):
        if not (is_secret and at == question.query):
            said = label.partition(", reads ")[2]
            _check_listed(visit, "what a word reads, in words", said, question, row)


def _check_colours(visit: Visit, question: _Question, scene: str) -> None:
    """Check the colours of the vectors: keys and query, or values and mix."""
    found = visit.page.evaluate(
        """() => {
          const read = (s) => auditAll(s).map((strip) =>
            [...getComputedStyle(strip).backgroundImage.matchAll(/rgb\\(([^)]*)\\)/g)]
              .map(([, parts]) => parts.split(',').map(Number)));
          return ['.loupe-start-cell .loupe-start-strip', '.loupe-start-traveller',
            '.loupe-start-mixed'].map(read);
        }"""
    )
    words, query, mix = (np.array(strips, float) for strips in found)
    is_mixed = scene in ("mix", "answer")
    vectors, beside = (question.values, question.mix) if is_mixed else (question.keys, question.q)
    strip = mix if is_mixed else query
    for what, colours, values in (
        ("vectors of the words", words, vectors),
        ("vector of the mix" if is_mixed else "vector of the query", strip, beside[None]),
    ):
        if colours.shape != (*values.shape, 3):  # two stops for each number
            colours = colours[:, ::2]
        if not visit.same(what, colours.shape, (*values.shape, 3), "sizes"):
            continue
        largest = max(np.abs(vectors).max(), np.abs(beside).max())
        shares, _ = visit.shades(colours, "diverging")
        computed = (values / largest + 1) / 2
        steady = np.abs(computed * 200 % 1 - 0.5) > 0.02
        visit.numbers(what, shares[steady], computed[steady], _SHADE, "dimensions")


def _check_figures(visit: Visit, what: str, values: Array, most: int) -> None:
    """Check the numbers over the bars, of so many of the largest."""
    figures = visit.page.evaluate(
        "() => auditAll('.loupe-start-cell').map((c) => c.querySelector('b').textContent)"
    )
    told = [i for i, text in enumerate(figures) if text]
    order = np.argsort(-values, kind="stable")[:most]
    visit.same(f"{what}: how many", len(told), len(order))
    visit.numbers(f"{what}: the largest", np.sort(values[told]), np.sort(values[order]), 2e-5)
    for i in told:
        visit.stated(what, figures[i], values[i], 2e-5, f"word {i}")


def _check_bars(visit: Visit, what: str, values: Array) -> None:
    """Check the heights of the bars, which are on one scale."""
    heights = visit.page.evaluate(
        """() => auditAll('.loupe-start-bar').map((bar) =>
          Number(/scaleY\\(([\\d.e-]+)\\)/.exec(bar.style.transform)[1]))"""
    )
    seen, computed = np.array(heights), np.abs(values)
    room = 1e-4 / seen.max() + 1e-4
    visit.numbers(what, seen / seen.max(), computed / computed.max(), room, "words")


def _check_scores(visit: Visit, question: _Question) -> None:
    text, scores = visit.text(".loupe-start-text"), question.scores
    loudest = (
        ("word with the largest score", question.near(scores)),
        ("largest score", scores.max()),
    )
    visit.says(
        text, r": (\S+) gets the highest, <#>\.", *loudest, slack=2e-5, missing=loudest[0][0]
    )
    best = int(scores.argmax())
    product = float(question.q @ question.keys[best])
    parts = ("d_k", len(question.q)), ("q · k", product), ("√d_k", len(question.q) ** 0.5)
    visit.says(
        visit.text(".loupe-start-formula"),
        "√<#> = <#> / <#> [=≈] <#>",
        *parts,
        ("score of the formula", scores[best]),
        slack=1e-4,
        missing="q · k / √d_k",
    )
    _check_figures(visit, "scores over the words", scores, len(scores) if len(scores) <= 24 else 3)
    _check_bars(visit, "bars of the scores", scores)
    said = visit.text(".loupe-start-unseen").removeprefix("Scores: ").rstrip(".")
    for one in said.split(", "):
        name, _, score = one.rpartition(" ")
        own = [s for s, token in zip(scores, question.tokens, strict=True) if token == name]
        visit.stated("scores in words", score, nearest(own or [np.nan], score), 2e-5, name)


def _check_shares(visit: Visit, question: _Question) -> None:
    text, row = visit.text(".loupe-start-text"), question.row
    visit.numbers("softmax of the scores", row, softmax(question.scores), 1e-9)
    second = np.sort(row)[-2]
    top = ("word with the largest share", question.near(row)), ("largest share", row.max())
    visit.says(text, r": (\S+) gets <%>", *top, slack=1e-5, missing=top[0][0])
    match = visit.says(text, r", (\S+) <%>\.$", None, ("second share", second), slack=1e-5)
    if abs(second - _LEAST_SAID) > 1e-5:
        visit.same("second share", match is not None, second >= _LEAST_SAID)
    _check_figures(visit, "shares over the words", row, min(3, int((row >= _LEAST_SAID).sum())))
    _check_bars(visit, "bars of the shares", row)
    said = visit.text(".loupe-start-unseen").partition(" reads ")[2]
    _check_listed(visit, "shares in words", said, question, row)


def _check_mix(visit: Visit, question: _Question) -> None:
    text, row = visit.text(".loupe-start-text"), question.row
    mostly = (name := "what is mostly taken away", question.near(row))
    match = visit.says(text, r"is mostly from (\S+)\.$", mostly)
    visit.same(name, match is not None, bool(row.max() > 0.5))
    terms = re.findall(rf"({SHARE}) · v\((.+?)\)", visit.text(".loupe-start-formula"))
    most = np.sort(row[row >= _LEAST_SAID])[::-1][:2]
    visit.same("terms of the mix", len(terms), len(most))
    for (share, name), computed in zip(terms, most, strict=False):
        visit.stated("terms of the mix", share, computed, 1e-5, name)
    _check_figures(visit, "shares over the words", row, min(3, int((row >= _LEAST_SAID).sum())))
    _check_bars(visit, "bars of the shares", row)
    said = visit.text(".loupe-start-unseen").partition(" reads ")[2]
    _check_listed(visit, "shares in words", said.partition(", as streams")[0], question, row)


def _check_effect(visit: Visit, question: _Question) -> None:
    """Check the answer: the word that is read, its reader, and the word without the head."""
    text, read = visit.text(".loupe-start-text"), ("word that is read", question.near(question.row))
    visit.says(text, r"^(?:Your guess, \S+, is what )?\S+ reads (\S+?)\.", read)
    _check_arcs(visit, question.row)
    best = _reader(visit.truth, question.query)
    if best is None:
        visit.says(text, "No (.+) word reads", missing="that no word reads it")
    else:
        named = ("word that reads it", visit.truth.target_tokens[best + 1])
        visit.says(text, r"reads \S+ most is (\S+)\.", named)
    effect = visit.text(".loupe-start-effect")
    if other := re.search("[Ww]ith “(.+?)”", effect):
        decides = visit.text(".loupe-start-switch [aria-pressed=true]")
        source = visit.state.source.replace(decides, other[1])
        visit = visit.of(replace(visit.state, source=source))
        best = _reader(visit.truth, question.query)
    if best is not None:
        _check_chance(visit, question, effect, best)


def _reader(truth: Truth, query: int) -> int | None:
    """Return the step that wrote a word and most read the one in question, if one did."""
    means, names = truth.weights("cross-attention")[-1].mean(axis=0), truth.target_tokens[1:]
    reading = [
        step
        for step, name in enumerate(names)
        if re.search(r"\w", name) and name != "</s>"
        if means[step].max() - means[step, query] < 1e-6
    ]
    return max(reading, key=lambda step: means[step, query], default=None)


def _check_chance(visit: Visit, question: _Question, effect: str, step: int) -> None:
    """Check the probability of a word with the head of the question, and without it."""
    truth = visit.truth
    part = f"head {question.head} of the self-attention in encoder layer {question.layer}"
    logits, before = truth.step_logits(without(truth.reference, part)), truth.written_log[step]
    after = softmax(logits[step])[truth.target_ids[step + 1]]
    visit.says(
        effect,
        r"\(layer (\d+), head (\d+)\).* probability of (\S+) goes from <%> to <%>",
        ("head that is cut", question.layer),
        ("head that is cut", question.head),
        ("word that reads it", truth.target_tokens[step + 1]),
        ("chance of the word", np.exp(before)),
        ("chance without the head", after),
        slack=1e-5,
        missing="chance without the head",
    )
    moved = after - np.exp(before)
    claims = {"hardly matters": abs(moved) < 0.05, "gets in the way": moved >= 0.05}
    for words, holds in claims.items():
        visit.same("what the head does", words in effect, bool(holds), words)


def _check_arcs(visit: Visit, row: Array) -> None:
    """Check which arcs are drawn from the word, the largest first, and their widths."""
    wide = visit.page.evaluate(
        "() => auditAll('.loupe-start-arc').map((arc) => Number(arc.getAttribute('stroke-width')))"
    )
    drawn = np.sort(row[row >= _LEAST_ARC])[::-1]
    if np.abs(row - _LEAST_ARC).min() > 1e-5:
        visit.numbers("widths of the arcs", wide, 1 + 8 * drawn, 0.051)
    figures = [text for text in visit.texts(".loupe-start-figure") if text]
    said = np.sort(row[row >= _LEAST_SAID])[::-1][:3]
    seen = sorted(figures, key=lambda text: -read_number(text).middle)
    visit.same("shares over the arcs", len(seen), len(said))
    for text, share in zip(seen, said, strict=False):
        visit.stated("shares over the arcs", text, share, 1e-5)
