"""The Training page: a recorded training's last snapshot."""

from typing import Any

from qa.audit.numbers import count
from qa.audit.pages.maps import check_map
from qa.audit.pages.run import check_frame
from qa.audit.truth import CHECKPOINTS, State, held_out
from qa.audit.visit import Visit


def training(visit: Visit) -> None:
    """Check the time-lapse's last snapshot against its files and a formula."""
    visit.open("training", visit.state.query())
    check_frame(visit)
    _check_lapse(visit)


def _check_lapse(visit: Visit) -> None:
    values, text = visit.values(), visit.text()
    name = next((v for v in values if "timelapse" in v or "induction" in v), None)
    step = visit.says(text, "step <#> of <#>")
    if name is None or step is None:
        visit.note("no recorded training of this task")
        return
    stem, folder = f"{name}-{count(step[1]):06d}", CHECKPOINTS / "time-lapse"
    about = visit.of(State(stem, folder=folder)).truth.files.about
    pairs = {source: target for source, target, _ in held_out(about["task"])}
    example = values[values.index(name) + 1]
    there = visit.of(State(stem, example, folder=folder))
    what = ("what the snapshot writes", there.truth.text)
    match = there.says(text, r"of [\d,]+ ?writes (.+?) ?(?:(✓)|✗|One head)", what, missing=what[0])
    if example in pairs:
        given = visit.of(State(stem, example, target=pairs[example], folder=folder))
    elif match and match[2]:  # the snapshot writes the target
        given = there
    else:
        visit.note("the target of the lapse's example is not known")
        return
    kind, layer, number = visit.head_named("One head")
    weights = given.truth.weights(kind)[layer, number]
    place = given.at(f"{kind} L{layer} H{number}")
    check_map(place, ".loupe-lapse-head .loupe-heatmap", "the lapse", weights, kind)
    _check_scores(there, text, about)


def _check_scores(visit: Visit, text: str, about: dict[str, Any]) -> None:
    scores, trained = about["scores"], about["training"]
    exact = ("held-out score of the snapshot", scores["exact_match"])
    visit.says(text, "entirely right <%>", exact)
    if match := visit.says(text, r"L(\d+) H(\d+) on the right token <%>"):
        at = int(match[1]), int(match[2])
        head = next(h for h in scores["heads"] if (h["layer"], h["head"]) == at)
        visit.stated("gold share of the snapshot", match[3], head["all_tokens"])
    visit.says(text, "on new sentences <#>", ("held-out loss of the snapshot", scores["loss"]))
    width, warmup, factor = about["config"]["d_model"], trained["warmup"], trained["factor"]
    share = noam(trained["step"], width, warmup, factor) / noam(warmup, width, warmup, factor)
    if trained.get("cooldown"):
        visit.note(
            f"the rate of the last step is cooled down: without that {share:.2g} of its peak"
        )
    else:
        visit.says(text, "of its highest <%>", ("learning rate", share), slack=5e-3)
    visit.says(text, "after <#> corrections", ("steps of the training", trained["steps"]))


def noam(step: float, d_model: int, warmup: int, factor: float) -> float:
    """Section 5.3: d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)."""
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
