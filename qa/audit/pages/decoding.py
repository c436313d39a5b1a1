"""The Decoding page: the player at several steps, the cache, every depth, the branches."""

import math
import re

import numpy as np

from qa.audit.numbers import count, nearest, sentence
from qa.audit.pages.run import check_frame, check_run
from qa.audit.reference.files import Array
from qa.audit.reference.layers import log_softmax
from qa.audit.reference.transformer import KINDS
from qa.audit.truth import Truth
from qa.audit.visit import Visit

_COPIED = "‹copied word›"
"""The text for a token that may become any word, if the text has none for it."""
_FOLDS = {f"more_decoding_{name}": "true" for name in ("lens", "branches")}


def decoding(visit: Visit) -> None:
    """Walk over the page at its first, its middle and its last step."""
    truth = visit.truth
    if truth.reads_only:
        return
    for number, step in enumerate(steps_of(truth)):
        visit.open("decoding", visit.state.query(step=step, **(_FOLDS if number else {})))
        there = visit.at(f"step {step}")
        if not number:
            check_frame(visit)
            check_run(visit)
            _check_answer(visit)
        check_step(there, step)
        if number == 1:
            _check_lens(visit)
            check_branches(visit, truth)


def steps_of(truth: Truth) -> list[int]:
    """Return the first step, the middle one and the last."""
    first, last = len(truth.prompt) - 1, len(truth.target_ids) - 2
    return sorted({first, (first + last + 1) // 2, last})


def _check_answer(visit: Visit) -> None:
    truth, said, what = visit.truth, visit.text(".loupe-answer"), "tokens that it knows"
    known = (what, truth.log_probabilities.shape[1])
    visit.says(said, "each of the <#> tokens that the model knows", known, missing=what)
    what, written = "step of the answer", np.exp(truth.written_log)
    if match := re.search(r"at step (\d+), “(.+?)” with ([\d.,]+%)", said):
        step = int(match[1])
        visit.at(f"step {step}").stated("probability of the answer", match[3], written[step])
        visit.same(what, match[2], truth.target_tokens[step + 1])


def check_step(visit: Visit, step: int, temperature: float = 1.0) -> None:
    """Check the step in view: candidates, numbers, and the weights of its keys."""
    truth, unshaped = visit.truth, visit.truth.log_probabilities[step]
    logs = log_softmax(unshaped / temperature)
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
    places, written = [*range(1, min(10, len(logs)) + 1)], truth.target_ids[step + 1]
    rank = int((logs > logs[written]).sum()) + 1
    places += [rank] if rank > len(places) else []
    visit.same("ranks of the candidates", [line[0] for line in rows], [*map(str, places)])
    for place, (_, token, share, log_share, *more) in zip(places, rows, strict=False):
        log = float(logs[order[place - 1]])
        around = [int(i) for i in order[max(0, place - 3) : place + 2]]
        near = [truth.words.target.token(i) for i in around if abs(logs[i] - log) < 2e-5]
        copied = [_COPIED] if truth.words.stand_ins & set(near) else []
        visit.among("candidate", token, near + copied)
        visit.stated("probability of a candidate", share, math.exp(log), 2e-6)
        visit.stated("log p of a candidate", log_share, log, 3e-5 / temperature)
        for own in more:
            computed = math.exp(unshaped[order[place - 1]])
            visit.stated("probability of a candidate, unshaped", own, computed, 2e-6)
    listed = np.exp(logs[order[np.array(places) - 1]]).sum()
    others = ("others", len(logs) - len(places)), ("others", 1 - listed)
    visit.says(player, "<#> others <#>", *others, slack=3e-6)
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
    if match := visit.says(player, "log-probability of all tokens so far ?<#>"):
        log, starts = visit.truth.written_log, {0, len(visit.truth.prompt) - 1}
        totals = [log[start : step + 1].sum() for start in starts if start <= step]
        visit.stated("log p of all so far", match[1], nearest(totals, match[1]), 2e-4)


def _check_chips(visit: Visit, kind: str, step: int) -> None:
    """Check the two decimals under the tokens: the weights of the step in the head in view."""
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
    weights, names = visit.truth.read_at(kind, step)[layer, head], visit.truth.axis(kind)[1]
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
    """Check the logit lens: the prediction of each depth, and the rank of the written token."""
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
            depth = f"decoder.layers.{match[1]}.output"
        elif name.startswith("embedding"):
            depth = "target_embedding.output"
        else:
            continue
        for step, text in enumerate(texts, first):
            match = re.match(sentence(r"(.+?) ?(✓|rank <#>).*$"), text)
            if match is None:
                continue
            hidden, written = truth.state_at(depth, step), truth.target_ids[step + 1]
            if reference.config["final_norm"]:
                hidden = reference.norm("decoder.norm", hidden)
            row = hidden @ generator.T + bias
            best, there = np.flatnonzero(row >= row.max() - 2e-5), visit.at(f"{name}, step {step}")
            near = truth.words.target.tokens(best.tolist())
            there.among("every depth: token", match[1].strip(), near)
            high, low = (int((row > row[written] + d).sum()) + 1 for d in (2e-5, -2e-5))
            stated = 1 if match[2] == "✓" else count(match[3])
            there.holds("every depth: rank", text, high <= stated <= low, f"{high} to {low}")


def check_branches(visit: Visit, *texts: Truth) -> None:
    """Check the sentence about the model's choice, and about the branch beside it."""
    cards = [
        [visit.texts(f".studio-branch-{part}")[i] for part in ("text", "score")]
        for i in range(len(visit.texts(".studio-branch-score")))
    ]
    visit.same("branches", len(cards), len(texts))
    for (text, score), truth in zip(cards, texts, strict=False):
        what, written = "log p of the branch", truth.written_log[len(truth.prompt) - 1 :]
        if truth.translates:
            visit.same("text of the branch", text, truth.text)
        claims = (what, written.sum()), (what, written.mean())
        visit.says(score, "log-probability <#>, <#> per token", *claims, slack=2e-4, missing=what)
