"""The page of training: a recorded training's last snapshot, and the learning rate."""

import math
import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated
from qa.audit.pages.attention import check_colours, check_labels
from qa.audit.pages.frame import check_frame
from qa.audit.seen import Seen
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
    step = re.search(rf"step ({NUMBER}) of ({NUMBER})", text)
    if name is None or step is None:
        ledger.note("no recorded training of this task")
        return
    number = int(step[1].replace(",", ""))
    folder = CHECKPOINTS / "time-lapse"
    stem = f"{name}-{number:06d}"
    if not (folder / f"{stem}.json").exists():
        ledger.note(f"no file {stem}")
        return
    example = next((v for v in values if " " in v and "timelapse" not in v and v != values[0]), "")
    pairs = {
        source: target
        for source, target, _ in held_out(truth_of(State(stem, folder=folder)).files.about["task"])
    }
    example = next((v for v in values if v in pairs), example)
    written = truth_of(State(stem, example, folder=folder))
    if match := re.search(r"writes (.+?) ?(?:✓|✗|One head)", text):
        ledger.same("what the snapshot writes", match[1].strip(), written.text, example)
    if example not in pairs:
        ledger.note("the lapse's example is no held-out pair")
        return
    given = truth_of(State(stem, example, target=pairs[example], folder=folder))
    head = re.search(r"One head ?(encoder|decoder)\.layers\.(\d+)\.(\w+)\.weights\[(\d+)\]", text)
    maps = seen.maps(".loupe-lapse-head .loupe-heatmap")
    if head is None or not maps:
        ledger.missing("the head of the lapse")
        return
    kind = "cross-attention" if head[3] == "cross_attn" else f"{head[1]} self-attention"
    weights = given.weights(kind)[int(head[2]), int(head[4])]
    place = f"{stem}, {kind} L{head[2]} H{head[4]}"
    check_colours(ledger, "colours of the lapse", maps[0], weights, given.mask(kind), seen, place)
    check_labels(ledger, "labels of the lapse", maps[0], *given.axis(kind), place)
    _check_scores(text, stem, ledger)


def _check_scores(text: str, stem: str, ledger: Ledger) -> None:
    about = truth_of(State(stem, folder=CHECKPOINTS / "time-lapse")).files.about
    scores = about["scores"]
    if match := re.search(rf"exact match ({NUMBER} %)", text):
        check_stated(ledger, "held-out score of the snapshot", match[1], scores["exact_match"])
    if match := re.search(rf"L(\d+) H(\d+) on the gold token ({NUMBER} %)", text):
        head = next(
            h for h in scores["heads"] if (h["layer"], h["head"]) == (int(match[1]), int(match[2]))
        )
        check_stated(ledger, "gold share of the snapshot", match[3], head["all_tokens"])
    if match := re.search(rf"held out ({NUMBER})", text):
        check_stated(ledger, "held-out loss of the snapshot", match[1], scores["loss"])
    training = about["training"]
    if match := re.search(rf"Noam ({NUMBER})", text):
        rate = noam(
            training["step"], about["config"]["d_model"], training["warmup"], training["factor"]
        )
        if training.get("cooldown"):
            ledger.note(
                f"the rate of the last step is cooled down: {match[1]}, without that {rate:.3g}"
            )
        else:
            check_stated(ledger, "learning rate", match[1], rate)
    if match := re.search(rf"By ({NUMBER}) corrections", text):
        ledger.same("steps of the training", int(match[1].replace(",", "")), training["steps"])


def noam(step: float, d_model: int, warmup: int, factor: float) -> float:
    """Section 5.3: d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)."""
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def _check_rate(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    training, width = truth.files.about["training"], truth.reference.d_model
    warmup, factor = training["warmup"], training["factor"]
    text = seen.text()
    match = re.search(rf"rises for ({NUMBER}) steps to ({NUMBER}) =", text)
    if match is None:
        ledger.missing("the schedule in words")
        return
    ledger.same("warm-up", int(match[1].replace(",", "")), warmup)
    peak = factor / math.sqrt(width * warmup)
    check_stated(ledger, "peak of the rate", match[2], peak)
    if match := re.search(rf"begins at ({NUMBER}), ({NUMBER}) times that peak", text):
        first = factor / math.sqrt(width)
        check_stated(ledger, "rate without a warm-up", match[1], first)
        check_stated(ledger, "times the peak", match[2], first / peak)
    for plot in seen.plots():
        for trace in plot["data"]:
            if trace["name"] != "Noam" or not trace.get("x"):
                continue
            steps, rates = np.asarray(trace["x"], float), np.asarray(trace["y"], float)
            usable = steps >= 1
            computed = [noam(step, width, warmup, factor) for step in steps[usable]]
            ledger.numbers("curve of the rate", rates[usable], computed, 1e-7 + 1e-6 * peak)
