"""The page of decoding: the player at several steps, the cache, every depth, the branches."""

import math
import re

import numpy as np

from qa.audit.numbers import count, nearest, sentence
from qa.audit.pages.run import check_frame, check_run
from qa.audit.reference.files import Array
from qa.audit.reference.transformer import KINDS
from qa.audit.visit import Visit

_FOLDS = {f"more_decoding_{name}": "true" for name in ("lens", "branches")}


def decoding(visit: Visit) -> None:
    """Walk over the page at its first, its middle and its last step."""
    truth = visit.truth
    if truth.reads_only:
        return
    first = len(truth.prompt) - 1
    steps = sorted({first, (first + len(truth.target_ids) - 1) // 2, len(truth.target_ids) - 2})
    for number, step in enumerate(steps):
        visit.open("decoding", visit.state.query(step=step, **(_FOLDS if number else {})))
        there = visit.at(f"step {step}")
        if not number:
            check_frame(visit)
            check_run(visit)
            _check_answer(visit)
        _check_step(there, step)
        if number == 1:
            _check_lens(visit)
            _check_branches(visit)


def _check_answer(visit: Visit) -> None:
    truth, said, what = visit.truth, visit.text(".loupe-answer"), "tokens that it knows"
    known = (what, truth.log_probabilities.shape[1])
    visit.says(said, "all <#> tokens that the model knows", known, missing=what)
    what, written = "step of the answer", np.exp(truth.written_log)
    if match := re.search(r"at step (\d+), “(.+?)” with ([\d.,]+ ?%)", said):
        step = int(match[1])
        visit.at(f"step {step}").stated("probability of the answer", match[3], written[step])
        visit.same(what, match[2], truth.target_tokens[step + 1])


def _check_step(visit: Visit, step: int) -> None:
    truth, logs = visit.truth, visit.truth.log_probabilities[step]
    visit.page.evaluate("() => auditAll('.studio-numbers').forEach((part) => (part.open = true))")
    player = visit.text(".loupe-decoding_player")
    shown = visit.page.evaluate(
        "() => auditAll('.studio-scrubber').map((s) => [Number(s.value), Number(s.max)])"
    )
    visit.same("step in view", shown[:1], [[step, len(truth.target_ids) - 2]])
    what = ("step of the candidates", step)
    visit.says(player, r"Candidates for step (\d+)", what, missing=what[0])
    order = np.argsort(-logs, kind="stable")
    rows = visit.lines("button.studio-candidate")
    visit.same("candidates", len(rows), min(10, len(logs)))
    for rank, (place, token, share, log_share, *_) in enumerate(rows):
        log = float(logs[order[rank]])
        around = [int(i) for i in order[max(0, rank - 2) : rank + 3]]
        near = [truth.words.target.token(i) for i in around if abs(logs[i] - log) < 2e-5]
        visit.same("rank of a candidate", place, str(rank + 1))
        visit.among("candidate", token, near)
        visit.stated("probability of a candidate", share, math.exp(log), 2e-6)
        visit.stated("log p of a candidate", log_share, log, 3e-5)
    others = ("others", len(logs) - 10), ("others", 1 - np.exp(logs[order[:10]]).sum())
    visit.says(player, "<#> more: <#>", *others, slack=3e-6)
    _check_numbers(visit, player, step, logs)
    for kind in truth.run.kinds:
        if kind != "encoder self-attention":
            _check_chips(visit, kind, step)


def _check_numbers(visit: Visit, player: str, step: int, logs: Array) -> None:
    shares, written = np.exp(logs), visit.truth.target_ids[step + 1]
    nats, most = float(-(shares * logs).sum()), math.log(len(logs))
    visit.says(
        player,
        "entropy ?<#> nats of at most <#>: <%>",
        ("entropy of the step, nats", nats),
        ("entropy of the step, at most", most),
        ("entropy of the step, share", nats / most),
        slack=2e-5,
        missing="entropy of the step",
    )
    share = ("probability of what is written", shares[written])
    visit.says(player, "its probability ?<#>", share, slack=2e-6)
    rank = (what := "rank of what is written", int((logs > logs[written]).sum()) + 1)
    visit.says(player, "its rank ?<#> of <#>", rank, (what, len(logs)))
    if match := visit.says(player, "log p of all so far ?<#>"):
        log, starts = visit.truth.written_log, {0, len(visit.truth.prompt) - 1}
        totals = [log[start : step + 1].sum() for start in starts if start <= step]
        visit.stated("log p of all so far", match[1], nearest(totals, match[1]), 2e-4)


def _check_chips(visit: Visit, kind: str, step: int) -> None:
    """The two decimals under the tokens: what the step reads, in the head in view."""
    part = KINDS[kind][1]
    found = visit.page.evaluate(
        """(part) => {
          const heading = auditAll('.loupe-decoding_player .loupe-heading').find((h) =>
            h.title.includes(`.${part}.weights`));
          const list = heading?.nextElementSibling;
          return heading && list ? [heading.title, [...list.children].map((item) => {
            const name = item.querySelector('bdi')?.textContent ?? '';
            return [name, auditText(item).slice(name.length).trim()].filter(Boolean);
          })] : null;
        }""",
        part,
    )
    if found is None:
        visit.missing(f"chips of {kind}")
        return
    match = re.search(rf"decoder\.layers\.(\d+)\.{part}\.weights\[(\d+)\]", found[0])
    if match is None:
        return
    layer, head = int(match[1]), int(match[2])
    weights, names = visit.truth.weights(kind)[layer, head, step], visit.truth.axis(kind)[1]
    there = visit.at(f"{visit.place}, {kind} L{layer} H{head}")
    for name, weight, parts in zip(names, weights, found[1], strict=False):
        if not parts:
            continue
        there.same("chips: tokens", parts[0], name)
        if len(parts) > 1:
            there.stated("chips: weights", parts[1], weight, 1.2e-5, name)
        else:
            there.numbers("chips: weights", 0.0, weight, 0.00502, name)


def _check_lens(visit: Visit) -> None:
    """Each depth through the final projection: what it would write, the rank of what is."""
    tables, truth = visit.tables("table.studio-lens"), visit.truth
    if not tables:
        visit.missing("every depth")
        return
    reference = truth.reference
    generator = reference.matrix("generator")
    bias = reference.files.tensors.get("generator.bias", np.zeros(len(generator)))
    first = len(truth.target_ids) - len(tables[0][0])
    for name, *texts in tables[0][1:]:
        if match := re.match(r"layer (\d+)", name):
            hidden = truth.run.tensors[f"decoder.layers.{match[1]}.output"]
        elif name.startswith("embedding"):
            hidden = truth.run.tensors["target_embedding.output"]
        else:
            continue
        if reference.config["final_norm"]:
            hidden = reference.norm("decoder.norm", hidden)
        for step, text in enumerate(texts, first):
            match = re.match(sentence(r"(.+?) ?(✓|rank <#>).*$"), text)
            if match is None:
                continue
            row, written = hidden[step] @ generator.T + bias, truth.target_ids[step + 1]
            best, there = np.flatnonzero(row >= row.max() - 2e-5), visit.at(f"{name}, step {step}")
            near = truth.words.target.tokens(best.tolist())
            there.among("every depth: token", match[1].strip(), near)
            high, low = (int((row > row[written] + d).sum()) + 1 for d in (2e-5, -2e-5))
            stated = 1 if match[2] == "✓" else count(match[3])
            there.holds("every depth: rank", text, high <= stated <= low, f"{high} to {low}")


def _check_branches(visit: Visit) -> None:
    what, written = "log p of the branch", visit.truth.written_log[len(visit.truth.prompt) - 1 :]
    visit.says(
        visit.text(".loupe-decoding_branches"),
        "log p <#>, <#> per token",
        (what, written.sum()),
        (what, written.mean()),
        slack=2e-4,
        missing=what,
    )
