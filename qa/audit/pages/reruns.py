"""Pages that run the text again with a change: Masks, Positions, What mattered."""

import math
import re
from dataclasses import replace

import numpy as np

from qa.audit.numbers import read_number
from qa.audit.page_reader import starting
from qa.audit.pages.run import check_frame, check_run
from qa.audit.reference.attribution import Attribution
from qa.audit.reference.files import Array
from qa.audit.reference.layers import position_vectors
from qa.audit.reference.transformer import Reference
from qa.audit.visit import Visit


def _again(reference: Reference, **changes) -> Reference:
    """Return a reference with additional changes."""
    return Reference(reference.files, {**reference.changes, **changes})


def masks(visit: Visit) -> None:
    """Check the page as it opens, then with the causal mask switched off."""
    truth = visit.truth
    if not truth.translates:
        return
    visit.open("masks", visit.state.query(more_masks_batch="true"))
    check_frame(visit)
    _check_batch(visit)
    own = truth.reference
    if not own.config["causal_mask"]:
        return
    config = truth.files.config | {"causal_mask": False}
    files = replace(truth.files, about=truth.files.about | {"config": config})
    opened = Reference(files, own.changes)
    _check_mask_head(visit, own, opened, change="Change without this mask")
    visit.page.get_by_text("Decoder: hide later tokens").click()
    visit.page.wait_for_timeout(500)
    visit.rest()
    there = visit.at("without the causal mask")
    _check_mask_head(there, opened, opened, change="Change")
    texts = truth.source_ids, truth.target_ids[:-1]
    logits = truth.reference.logits(*texts), opened.logits(*texts)
    moved = int((logits[0].argmax(-1) != logits[1].argmax(-1)).sum())
    if match := re.search(r"The model would change (\d+) of (\d+) words", visit.text()):
        there.same("words otherwise", [int(n) for n in match.groups()], [moved, len(logits[0])])
    else:
        there.same("words otherwise", 0, moved)


def _check_batch(visit: Visit) -> None:
    (table,) = visit.tables("table.loupe-batch")[:1]
    truth = visit.truth
    texts = (truth.source_tokens, truth.target_tokens[1:])
    for line, side, tokens in zip(table, ("source", "target"), texts, strict=False):
        written = [cell for cell in line if cell and cell != "<pad>"][-len(tokens) :]
        visit.same(f"the batch: {side}", written, tokens)


def _check_mask_head(visit: Visit, shown: Reference, opened: Reference, *, change: str) -> None:
    """Check the head in view: its weights in one run, and how the open mask changes them."""
    truth = visit.truth
    named = re.search(
        r"(\S+ self-attention|Cross-attention), layer (\d+), head (\d+)", visit.text()
    )
    if named is None:
        visit.note("no head is named")
        return
    kind, layer, head = named[1].lower(), int(named[2]), int(named[3])
    texts = truth.source_ids, truth.target_ids[:-1]
    now, other = (run.forward(*texts).weights(kind)[layer, head] for run in (shown, opened))
    mask = truth.mask(kind) if shown is truth.reference else None
    tables, before = visit.captioned(), truth.weights(kind)[layer, head]
    read = ("Weights of this head", now, mask)
    for caption, values, hidden in (read, (change, other - before, None)):
        cells = starting(tables, caption)
        if cells is None or (len(cells) - 1, len(cells[0]) - 1) != values.shape:
            visit.note(f"{caption}: no table, or one that is padded")
        else:
            visit.at(str(named[0])).matrix(caption, cells, values, mask=hidden, slack=3e-5)


def positions(visit: Visit) -> None:
    """Check the reruns, one head before and after, and the encoding against the reference."""
    if not visit.truth.translates:
        return
    folds = {f"more_positions_{name}": "true" for name in ("head", "encoding", "order")}
    visit.open("positions", visit.state.query(**folds))
    check_frame(visit)
    check_run(visit)
    none = {f"{side}_embedding.positions": np.zeros_like for side in ("source", "target")}
    without = _again(visit.truth.reference, **none)
    _check_texts(visit, without)
    _check_head(visit, without)
    _check_encoding(visit)


def _check_texts(visit: Visit, without: Reference) -> None:
    truth = visit.truth
    match = re.search(r"with its positions (.+?) without positions (.+?) Positions ", visit.text())
    if match is None:
        visit.note("the texts of the reruns are not side by side")
        return
    ids = without.greedy(truth.source_ids, truth.prompt, max(64, 2 * len(truth.source_ids)))
    written = truth.words.written(ids[1:]) or "(no words)"
    visit.same("text as it is", match[1].strip(), truth.text or "(no words)")
    squeezed, whole = (text.replace(" ", "") for text in (match[2], written))
    right = squeezed == whole or squeezed.rstrip("…") in whole
    visit.holds("text without positions", match[2], right, written)


def _check_head(visit: Visit, without: Reference) -> None:
    named, truth = visit.head_named("Attention"), visit.truth
    if named is None:
        visit.missing("one head with and without positions")
        return
    kind, layer, head = named
    changed = without.forward(truth.source_ids, truth.target_ids[:-1])
    before, after = (of.weights(kind)[layer, head] for of in (truth, changed))
    mask, tables = truth.mask(kind), visit.captioned()
    hidden = None if mask.all() else mask
    for name, values in (("As it is", before), ("Changed", after), ("Difference", after - before)):
        cells = starting(tables, name) or []
        visit.at(str(named)).matrix(f"head: {name}", cells, values, mask=hidden, slack=1e-5)


def _check_encoding(visit: Visit) -> None:
    text, truth = visit.text(), visit.truth
    kind, width = truth.reference.config["positions"], truth.reference.d_model
    waves = {
        "sinusoidal": lambda j: 2 * math.pi * 10000 ** ((j - j % 2) / width),
        "double_sine": lambda j: 2 * math.pi * 1000 ** (2 * j / width),
    }
    grow = r"waves grow from <#> positions in dimension (\d+) to <#> in dimension (\d+)"
    if (match := visit.says(text, grow)) and kind in waves:
        for length, j in (match.groups()[:2], match.groups()[2:]):
            visit.stated("length of a wave", length, waves[kind](int(j)), place=j)
    equals = r"equals (\w+)_embedding\.positions\[(\d+), (\d+)\] of this run ± <#>"
    if match := visit.says(text, equals):
        value = truth.run.tensors[f"{match[1]}_embedding.positions"][int(match[2]), int(match[3])]
        visit.holds("badge: equals this run", match[0], read_number(match[4]).middle < 1e-6)
        place = rf"PE\({match[2]}, {match[3]}\).*?= ?<#> "  # learned positions have no formula
        visit.says(text, place, ("one number of the encoding", value), slack=1e-6)
    if match := visit.says(text, "without positions the rows only move ± <#>"):
        visit.holds("badge: the rows only move", match[0], read_number(match[1]).middle < 1e-4)
    check_map(visit, len(truth.source_tokens))


_NAMED = """() => auditAll(".positions-map > svg").flatMap((svg) => {
  const names = [...svg.querySelectorAll(".positions-name")];
  const away = (name, line) => Math.abs(Number(name.getAttribute("y")) - line.y1.baseVal.value);
  return [...svg.querySelectorAll("line")].map((line) => [
    line.y2.baseVal.value,
    names.toSorted((one, other) => away(one, line) - away(other, line))[0].textContent,
  ]);
})"""
"""The end of each line, and the name at its other end."""
_ROWS = 64
"""The size of the picture, if the text has no more positions."""
_ALL_NAMED = 20
"""Words that have room beside the picture."""
_SHADE = 0.02
"""A colour is one of 201 from -1 to 1, and is found again among those that a screen shows."""


def check_map(visit: Visit, words: int) -> None:
    """Check the picture of an encoding: its colours, its table, and the names of its rows."""
    truth, drawn = visit.truth, visit.maps(".positions-map")
    computed = _encoding(truth.reference, max(_ROWS, words))
    if computed is None:
        return
    if not drawn:
        visit.missing("picture of the encoding")
        return
    shape, colours = drawn[0]["shape"], drawn[0]["colours"]
    if not visit.same("size of the encoding", [len(colours), len(colours[0])], [*computed.shape]):
        return
    shades, _ = visit.shades(colours, "diverging")
    share = computed / (np.abs(computed).max() or 1.0)
    visit.numbers("picture of the encoding", 2 * shades - 1, share, _SHADE)
    table = starting(visit.captioned(), "The numbers added") or [[]]
    visit.matrix("encoding", table, computed, slack=1e-6)
    ends = visit.page.evaluate(_NAMED)
    seen = {round((y - shape["y"]) / shape["high"] - 0.5, 2): name for y, name in ends}
    named = dict(enumerate(truth.source_tokens))
    there = named if len(named) <= _ALL_NAMED else {row: named.get(row) for row in seen}
    visit.same("rows named by the words", seen, there)


def _encoding(reference: Reference, rows: int) -> Array | None:
    """Compute the rows of the picture; None for a model without encodings or with reordered
    ones."""
    kind = reference.config["positions"]
    if kind == "learned":
        weights = reference.matrix("source_embedding.learned")
        return weights[reference.config.get("position_offset", 0) :][:rows]
    if kind not in ("sinusoidal", "double_sine", "single_frequency"):
        return None
    return position_vectors(kind, rows, reference.d_model)


def mattered(visit: Visit) -> None:
    """Cut every listed part, and check the loss and the text on the page."""
    if not visit.truth.translates:
        return
    visit.open("mattered", visit.state.query())
    check_frame(visit)
    truth, lines = visit.truth, visit.lines("button.mattered-line")
    if not lines:
        visit.missing("what each cut costs")
    before = truth.loss_of(truth.step_logits(truth.reference))
    texts: dict[str, str] = {}
    for part, *_, cost, said in lines:
        reference, there = without(truth.reference, part), visit.at(part)
        lost = truth.loss_of(truth.step_logits(reference)) - before
        ids = reference.greedy(truth.source_ids, truth.prompt, len(truth.target_ids) + 7)
        texts[part] = text = truth.words.written(ids[1:])
        there.stated("nats of loss that a cut costs", cost, lost, 2e-5)
        same = text == truth.text
        there.same("whether a cut changes the text", said == "the same", same)
        if not same and not said.endswith("…"):
            there.holds("text after a cut", said, set(text.split()) <= set(said.split()), text)
    _check_worst(visit, {part: text for part, text in texts.items() if part.startswith("head")})
    folds = {"more_mattered_measures": "true", "more_mattered_lead": "true"}
    visit.open("mattered", visit.state.query(**folds))
    _check_measures(visit)


def without(reference: Reference, part: str) -> Reference:
    """Cut "head 3 of the self-attention in encoder layer 0", or a whole sublayer."""
    cut_off = r"(?:head (\d+) of the |the whole |the )?(\S+).* in (\w+) layer (\d+)"
    number, kind, stack, layer = re.fullmatch(cut_off, part).groups()
    names = {"self-attention": "self_attn", "cross-attention": "cross_attn"}
    path = f"{stack}.layers.{layer}.{names.get(kind, 'feed_forward')}"
    if number is None:
        return _again(reference, **{f"{path}.output": np.zeros_like})

    def cut(values: Array) -> Array:
        return values * (np.arange(len(values)) != int(number))[:, None, None]

    return _again(reference, **{f"{path}.heads": cut})


def _check_worst(visit: Visit, texts: dict[str, str]) -> None:
    """Check the answer: how many heads change a word, and the effect of the costliest."""
    said, own, what = visit.text(".loupe-answer"), visit.truth.text, "heads that change a word"
    changing = [part for part, text in texts.items() if text != own]
    single = r"(\d+) of (\d+) heads changes? a word when (?:it is|they are) cut"
    visit.says(said, single, (what, len(changing)), (what, len(texts)))
    match = re.match(
        r"Without (head \d+ of the [\w-]+ in (?:encoder|decoder) layer \d+), "
        r"(.+?) becomes (.+?)(?: and .+)?\. (?:Only )?\d+ of ",
        said,
    )
    if match is None:
        visit.note(f"another answer: {said[:80]}")
        return
    part, before, after = match.groups()
    text = texts.get(part, "")
    right = all(word in own for word in before.split())
    right = right and all(word in text for word in after.split())
    visit.at(part).holds("the answer's words", said[:120], right, text)
    visit.holds("the answer's head changes a word", part, part in changing)


_MEASURES = {
    "Last layer, mean of its heads": Attribution.attention,
    "Length of the vector it sends": Attribution.vectors,
    "Its direct effect on the logit": Attribution.direct,
    "Gradient × input": Attribution.gradient,
}
"""The measures by their names on the page. Swapping is left to a test, because its words are
random."""


def _check_measures(visit: Visit) -> None:
    """Check the measures of the token in view, and each head's contribution to its lead."""
    truth = visit.truth
    row = visit.selection["step"]
    one = Attribution(truth.reference, truth.run, truth.source_ids, truth.target_ids, row)
    rows = {line[0]: line[1:] for line in visit.captioned()["All measures"][1:]}
    for name, compute in _MEASURES.items():
        _check_measure(visit, name, rows[name], compute(one))
    name = "Integrated gradients"
    steps = re.search(r"in (\d+) steps", visit.text())
    places = [int(i) for i in np.argsort([-abs(read_number(n).middle) for n in rows[name]])[:2]]
    computed = one.integrated(int(steps[1]), places)
    _check_measure(visit, name, [rows[name][i] for i in places], computed)
    _check_lead(visit, one)


def _check_measure(visit: Visit, name: str, said: list[str], computed: Array) -> None:
    for i, (text, value) in enumerate(zip(said, computed, strict=True)):
        slack = 3e-5 * (1 + abs(float(value)))  # a small difference of large float32 numbers
        visit.stated(f"measure: {name}", text, value, slack, f"key {i}")


def _check_lead(visit: Visit, one: Attribution) -> None:
    logits = visit.truth.run.tensors["logits"][one.row]
    token = visit.truth.target_ids[one.row + 1]
    seen = visit.truth.log_probabilities[one.row]  # by the step that wrote the token
    other = int(np.argsort(-seen)[int(seen.argmax() == token)])
    lines = visit.page.evaluate(
        """() => auditAll('.lead-table tbody tr').map((line) =>
          [line.querySelector('[title]')?.title ?? '', ...[...line.cells].map(auditText)])"""
    )
    for title, _, value, *_ in lines:
        if match := re.fullmatch(re.escape(one.name) + r"\.heads\[(\d+)\]", title):
            adds = one.head_adds(int(match[1]), token, other)
            visit.stated("what a head adds", value, adds, 2e-5, title)
    lead = float(logits[token] - logits[other])
    visit.stated("sum of what adds to a lead", lines[-1][2], lead, 5e-5)
