"""The page of training: a recorded training's last snapshot, and the learning rate."""

import math
from typing import Any

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import check_stated, count, says
from qa.audit.page_reader import Seen
from qa.audit.pages.attention import check_colours, check_labels
from qa.audit.pages.frame import check_frame
from qa.audit.truth import CHECKPOINTS, State, Truth, held_out, truth_of

URL = "training"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the time-lapse's last snapshot and the schedule against files and formulas."""
    seen.open(URL, state.query())
    check_frame(seen, truth, ledger)
    _check_lapse(seen, ledger)
    seen.open(URL, state.query(part_training="rate", more_training_rate="true"))
    _check_rate(seen, truth, ledger)


def _check_lapse(seen: Seen, ledger: Ledger) -> None:
    values = seen.page.evaluate("() => auditAll('[data-testid=stMain] input').map((i) => i.value)")
    name = next((v for v in values if "timelapse" in v or "induction" in v), None)
    text = seen.text()
    step = says(ledger, text, "step <#> of <#>")
    if name is None or step is None:
        ledger.note("no recorded training of this task")
        return
    stem, folder = f"{name}-{count(step[1]):06d}", CHECKPOINTS / "time-lapse"
    if not (folder / f"{stem}.json").exists():
        ledger.note(f"no file {stem}")
        return
    about = truth_of(State(stem, folder=folder)).files.about
    pairs = {source: target for source, target, _ in held_out(about["task"])}
    example = next((v for v in values if v in pairs), None)
    if example is None:
        ledger.note("the lapse's example is no held-out pair")
        return
    written = truth_of(State(stem, example, folder=folder))
    what = ("what the snapshot writes", written.text)
    says(ledger, text, r"writes (.+?) ?(?:✓|✗|One head)", what, place=example)
    given = truth_of(State(stem, example, target=pairs[example], folder=folder))
    head, maps = seen.head_named("One head"), seen.maps(".loupe-lapse-head .loupe-heatmap")
    if head is None or not maps:
        ledger.missing("the head of the lapse")
        return
    kind, layer, number = head
    weights, mask = given.weights(kind)[layer, number], given.mask(kind)
    place = f"{stem}, {kind} L{layer} H{number}"
    check_colours(ledger, "colours of the lapse", maps[0], weights, mask, seen, place)
    check_labels(ledger, "labels of the lapse", maps[0], *given.axis(kind), place)
    _check_scores(text, about, ledger)


def _check_scores(text: str, about: dict[str, Any], ledger: Ledger) -> None:
    scores, training = about["scores"], about["training"]
    exact = ("held-out score of the snapshot", scores["exact_match"])
    says(ledger, text, "exact match <%>", exact)
    if match := says(ledger, text, r"L(\d+) H(\d+) on the gold token <%>"):
        at = int(match[1]), int(match[2])
        head = next(h for h in scores["heads"] if (h["layer"], h["head"]) == at)
        check_stated(ledger, "gold share of the snapshot", match[3], head["all_tokens"])
    says(ledger, text, "held out <#>", ("held-out loss of the snapshot", scores["loss"]))
    width, warmup, factor = about["config"]["d_model"], training["warmup"], training["factor"]
    rate = noam(training["step"], width, warmup, factor)
    if training.get("cooldown"):
        ledger.note(f"the rate of the last step is cooled down: without that {rate:.3g}")
    else:
        says(ledger, text, "Noam <#>", ("learning rate", rate))
    says(ledger, text, "By <#> corrections", ("steps of the training", training["steps"]))


def noam(step: float, d_model: int, warmup: int, factor: float) -> float:
    """Section 5.3: d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)."""
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def _check_rate(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    training, width = truth.files.about["training"], truth.reference.d_model
    warmup, factor = training["warmup"], training["factor"]
    text = seen.text()
    peak, first = factor / math.sqrt(width * warmup), factor / math.sqrt(width)
    schedule = ("warm-up", warmup), ("peak of the rate", peak)
    missing = "the schedule in words"
    says(ledger, text, "rises for <#> steps to <#> =", *schedule, missing=missing)
    begins = ("rate without a warm-up", first), ("times the peak", first / peak)
    says(ledger, text, "begins at <#>, <#> times that peak", *begins)
    for plot in seen.plots():
        for trace in plot["data"]:
            if trace["name"] != "Noam" or not trace.get("x"):
                continue
            steps, rates = np.asarray(trace["x"], float), np.asarray(trace["y"], float)
            usable = steps >= 1
            computed = [noam(step, width, warmup, factor) for step in steps[usable]]
            ledger.numbers("curve of the rate", rates[usable], computed, 1e-7 + 1e-6 * peak)
