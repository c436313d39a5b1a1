"""The parts of a run on every page: its parcel, the sentence, and the text about the model."""

import math
import re
from typing import Any

import numpy as np

from qa.audit.page_reader import CODE_MASKED, CODE_NAN, SITE, STEP, decode
from qa.audit.reference.files import Array
from qa.audit.reference.layers import rotary_angles
from qa.audit.reference.measures import gold_share, head_measures, repeats
from qa.audit.truth import Truth, held_out
from qa.audit.visit import Visit

_MEASURED = 1.0e-4
"""Measures are sent with four decimals."""
_SHADE = 0.5 / 200
"""The number of colours in which a reduced matrix is drawn."""
TRACED = 3e-5
"""The float32 tolerance of a tensor: so much, plus as much times the number itself."""


def check_frame(visit: Visit) -> None:
    """Check the sentence bar and the sidebar against the files and the reference."""
    for error in visit.texts("[data-testid=stException], [data-testid=stAlertContentError]"):
        visit.holds("no error on the page", error, holds=False)
    truth, config, about = visit.truth, visit.truth.files.config, visit.truth.files.about
    written = visit.text(".loupe-sentence")
    if truth.translates and written:
        visit.same("what was written", written, truth.text or written)
    visit.page.locator(".st-key-side_menu details").evaluate("about => { about.open = true; }")
    notes, ids = visit.text("[data-testid=stSidebar]"), truth.source_ids or truth.prompt
    visit.says(notes, "<#> of at most <#> tokens", ("tokens of the sentence", len(ids)))
    layers = ("layers", config["n_decoder_layers"])
    visit.says(
        notes,
        r"<#>(?: \+ <#>)? layers?, <#> heads?, <#> parameters",
        ("layers", config["n_encoder_layers"]) if config["n_encoder_layers"] else layers,
        layers,
        ("heads", config["n_heads"]),
        ("parameters", sum(math.prod(t.shape) for t in truth.files.tensors.values())),
        missing="what the model is",
    )
    scores = about.get("scores") or {}
    if not scores.get("sentences"):
        return
    right = ("held-out score", scores["exact_match"]), ("held-out texts", scores["sentences"])
    visit.says(notes, "It writes <%> of <#> unseen texts without a mistake", *right)
    kinds, what = scores.get("constructions", []), "worst on sentences of the kind"
    least = min((kind["exact_match"] for kind in kinds), default=0.0)
    names = [kind["name"] for kind in kinds if kind["exact_match"] == least]
    visit.says(notes, f"{what} “([^”]*)”: <%>", (what, names), (what, least))


def check_run(visit: Visit) -> None:
    run = visit.run()
    if run is None:
        visit.missing("run that was sent")
    else:
        compare_run(visit, run)


def check_trace(visit: Visit) -> None:
    """Check everything that the browser's own model kept of the run: tensors, text, each step."""
    truth, own = visit.truth, visit.traced()
    visit.same("text that was run", own["text"], truth.state.source)
    visit.same("sentence that was written", own["sentence"], truth.text)
    if not visit.same("ids that were written", own["written"], truth.target_ids[1:]):
        return
    config = truth.reference.config
    sharing = config["n_heads"] // (config.get("n_kv_heads") or config["n_heads"])
    for name, values in own["tensors"].items():
        computed = truth.run.tensors.get(name)
        computed = of_a_head(truth, name) if computed is None else computed
        if computed is None:
            visit.note(f"{name}, of which the reference knows nothing")
            continue
        if name.endswith((".key", ".value")):  # one for each head that reads them
            computed = computed[::sharing]
        if not visit.same("sizes of the tensors", values.size, computed.size, name):
            continue
        seen, room = values.reshape(computed.shape), TRACED * (1 + np.abs(computed))
        visit.numbers("tensors of the browser's model", seen, computed, room, name)
    if truth.reads_only:
        return
    logs = truth.log_probabilities
    written = [step["probability"] for step in own["steps"]]
    visit.numbers("probability of each step", written, np.exp(truth.written_log), 3e-6)
    for row, step in zip(logs, own["steps"], strict=True):
        ids = [one["id"] for one in step["candidates"]]
        shares = [one["probability"] for one in step["candidates"]]
        visit.numbers("candidates: probability", shares, np.exp(row[ids]), 3e-6)
        visit.numbers("candidates: the largest", row[ids], -np.sort(-row)[: len(ids)], 3e-5)
        named = truth.words.target.tokens(ids)
        visit.same("candidates: token", [one["token"] for one in step["candidates"]], named)


def of_a_head(truth: Truth, name: str) -> Array | None:
    """Return the data that a worker sends beside a run: parameters and attribution of a head."""
    tensors, config = truth.files.tensors, truth.reference.config
    if match := re.fullmatch(r"(.+\.(\w+)\.(?:weight|bias))(?:\[(\d+)\])?", name):
        values = tensors[match[1]]
        if match[3] is None:
            return values
        size = config["d_v" if match[2] in ("value", "output") else "d_k"]
        own = slice(int(match[3]) * size, (int(match[3]) + 1) * size)
        return values[:, own] if match[2] == "output" else values[own]
    if match := re.fullmatch(r"(.+)\.(?:norms|others\[(\d+)\])", name):
        heads, weight = truth.run.tensors[f"{match[1]}.heads"], tensors[f"{match[1]}.output.weight"]
        written = np.einsum("mhd,hqd->hqm", weight.reshape(len(weight), len(heads), -1), heads)
        if match[2] is None:
            return np.linalg.norm(written, axis=-1).T
        return np.delete(written, int(match[2]), axis=0).sum(axis=0)
    if name.endswith(".angles"):
        keys = truth.run.tensors[name.replace(".angles", ".key")]
        return rotary_angles(keys.shape[-2], keys.shape[-1], config["rotary_base"])
    return None


def compare_run(visit: Visit, run: dict[str, Any]) -> None:
    """Check one run that the browser has against the reference."""
    truth = visit.truth
    visit.same("tokens", run["tokens"]["source"], truth.source_tokens, "source")
    if not visit.same("tokens", run["tokens"]["target"], truth.target_tokens, "target"):
        return
    visit.same("kinds of attention", sorted(run["kinds"]), sorted(truth.run.kinds))
    for kind in truth.run.kinds:
        stack, place = run["kinds"][kind], visit.at(kind)
        _compare_kind(place, stack, kind)
        names = []
        for axis, count in (("queries", stack["rows"]), ("keys", stack["columns"])):
            text, first = stack[axis]
            names.append(run["tokens"][text][first : first + count])
        place.same("labels of rows and columns", names, list(truth.axis(kind)))
    if run.get("metrics"):
        _compare_measures(visit, run)
    if truth.translates and visit.frame is not SITE:
        _compare_gold(visit, run)


def _compare_kind(visit: Visit, stack: dict[str, Any], kind: str) -> None:
    weights = visit.truth.weights(kind)
    shape = (stack["layers"], stack["heads"], stack["rows"], stack["columns"])
    if not visit.same("shape of the weights", shape, weights.shape):
        return
    codes = np.asarray(stack["codes"]).reshape(*shape[:2], *stack["drawn"])
    sent = decode(codes)
    if not stack["whole"]:  # rows and columns in so many parts, each with its largest weight
        for axis, count in zip((2, 3), stack["drawn"], strict=True):
            ends = np.arange(count) * weights.shape[axis] // count
            weights = np.maximum.reduceat(weights, ends, axis=axis)
        visit.numbers("weights that are sent reduced", sent, weights, _SHADE + STEP)
        return
    visit.numbers("weights of every head", sent, weights, STEP, "layer, head, row, column")
    hidden = ~visit.truth.mask(kind) & (weights == 0)
    visit.same("masked cells", int(((codes == CODE_MASKED) != hidden).sum()), 0)
    none = (codes == CODE_NAN) != np.isnan(weights)
    visit.same("cells that are not numbers", int(none.sum()), 0)
    sums = sent.sum(axis=-1)
    room = STEP * sent.shape[-1]
    visit.numbers("sum of each row, from 1", sums, np.ones_like(sums), room, "layer, head, row")


def _compare_measures(visit: Visit, run: dict[str, Any]) -> None:
    truth, links = visit.truth, {tuple(link) for link in run["gold"] or ()}
    for kind, named in run["metrics"].items():
        mask, is_cross = truth.mask(kind), kind == "cross-attention"
        for (layer, head), weights in _heads(truth.weights(kind)):
            found = head_measures(weights, mask, is_cross=is_cross)
            if not truth.translates:
                found |= repeats(weights, truth.target_ids[:-1] or truth.source_ids)
            if links and is_cross:
                found["gold"] = gold_share(weights, links)
            place = visit.at(f"{kind} L{layer} H{head}")
            for name in named.keys() & found.keys():
                sent = named[name][layer][head]
                sent = math.nan if sent is None else sent
                place.numbers(f"measure: {name}", sent, found[name], _MEASURED)
            unsent = [n for n, value in found.items() if n not in named and not math.isnan(value)]
            for name in unsent:
                place.same("measures that are sent", "none", name)


def _heads(weights: Array) -> list[tuple[tuple[int, ...], Array]]:
    return [(at, weights[at]) for at in np.ndindex(*weights.shape[:2])]


def _compare_gold(visit: Visit, run: dict[str, Any]) -> None:
    """Check the alignment of a held-out pair: word i of the source, j of the target."""
    truth = visit.truth
    for source, target, alignment in held_out(truth.files.about["task"]):
        if (source, truth.words.target.encode(target)) == (
            truth.state.source,
            truth.target_ids[1:-1],
        ):
            links = [tuple(map(int, pair.split("-"))) for pair in alignment.split()]
            ends = (len(truth.target_ids) - 2, len(truth.source_ids) - 1)
            sent = {tuple(link) for link in run["gold"] or ()} - {ends}
            visit.same("gold alignment", sorted(sent), sorted({(j, i) for i, j in links}))
            return
