"""The page of decoding: the player at several steps, the cache, every depth, the branches."""

import math
import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import check_stated, count, nearest, says, sentence
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.files import Array
from qa.audit.reference.transformer import KINDS
from qa.audit.truth import State, Truth

URL = "decoding"
_FOLDS = {
    "more_decoding_cache": "true",
    "more_decoding_lens": "true",
    "more_decoding_branches": "true",
}


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Walk over the page at its first, its middle and its last step."""
    if truth.reads_only:
        return
    first = len(truth.prompt) - 1
    steps = sorted({first, (first + len(truth.target_ids) - 1) // 2, len(truth.target_ids) - 2})
    for number, step in enumerate(steps):
        seen.open(URL, state.query(step=step, **(_FOLDS if number else {})))
        if not number:
            check_frame(seen, truth, ledger)
            check_run(seen, truth, ledger)
            _check_answer(seen, truth, ledger)
        _check_step(seen, truth, ledger, step)
        if number == 1:
            _check_lens(seen, truth, ledger)
            _check_branches(seen, truth, ledger)
            _check_cache(seen, truth, ledger, step)


def _check_answer(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    said, what = seen.text(".loupe-answer"), "tokens that it knows"
    known = (what, truth.log_probabilities.shape[1])
    says(ledger, said, "gives all <#> tokens", known, missing=what)
    what, first = "least sure step", len(truth.prompt) - 1
    written = np.exp(truth.written_log)[first:]
    share = (what, written.min())
    if match := says(ledger, said, r"least sure at step (\d+): “(.+?)”, <%>", None, None, share):
        step = int(match[1])
        near = [first + int(i) for i in np.flatnonzero(written <= written.min() + 1e-5)]
        ledger.among(what, step, near)
        ledger.same(what, match[2], truth.target_tokens[step + 1])


def _check_step(seen: Seen, truth: Truth, ledger: Ledger, step: int) -> None:
    logs = truth.log_probabilities[step]
    tokens = truth.words.target
    place = f"step {step}"
    player = seen.text(".loupe-decoding_player")
    shown = seen.page.evaluate(
        "() => auditAll('.studio-scrubber').map((s) => [Number(s.value), Number(s.max)])"
    )
    ledger.same("step in view", shown[:1], [[step, len(truth.target_ids) - 2]], place)
    what = ("step of the candidates", step)
    candidates = r"Candidates for step (\d+) ?logits\[(\d+)\]"
    says(ledger, player, candidates, what, what, place=place, missing=what[0])
    order = np.argsort(-logs, kind="stable")
    rows = seen.page.evaluate(
        """() => auditAll('button.studio-candidate').map((button) =>
          [...button.children].map(auditText).filter(Boolean))"""
    )
    ledger.same("candidates", len(rows), min(10, len(logs)), place)
    for rank, cells in enumerate(rows):
        if len(cells) < 4:
            ledger.missing("candidates")
            continue
        log = float(logs[order[rank]])
        around = order[max(0, rank - 2) : rank + 3]
        near = [tokens.token(int(i)) for i in around if abs(logs[i] - log) < 2e-5]
        ledger.same("rank of a candidate", cells[0], str(rank + 1), place)
        ledger.among("candidate", cells[1], near, place)
        for what, text, value, slack in (
            ("probability of a candidate", cells[2], math.exp(log), 2e-6),
            ("log p of a candidate", cells[3], log, 3e-5),
        ):
            check_stated(ledger, what, text, value, place=place, slack=slack)
    others = ("others", len(logs) - 10), ("others", 1 - np.exp(logs[order[:10]]).sum())
    says(ledger, player, "<#> others: <#>", *others, place=place, slack=3e-6)
    _check_numbers(player, truth, ledger, step, logs)
    _check_chips(seen, truth, ledger, step)


def _check_numbers(player: str, truth: Truth, ledger: Ledger, step: int, logs: Array) -> None:
    place, shares, written = f"step {step}", np.exp(logs), truth.target_ids[step + 1]
    bits, most_bits = float(-(shares * logs).sum() / math.log(2)), math.log2(len(logs))
    says(
        ledger,
        player,
        "Entropy ?<#> bits ?of at most <#>: <%>",
        ("entropy of the step, bits", bits),
        ("entropy of the step, at most", most_bits),
        ("entropy of the step, share", bits / most_bits),
        place=place,
        slack=2e-5,
        missing="entropy of the step",
    )
    share = ("probability of what is written", shares[written])
    says(ledger, player, "its probability ?<#>", share, place=place, slack=2e-6)
    rank = (what := "rank of what is written", int((logs > logs[written]).sum()) + 1)
    says(ledger, player, "its rank ?<#> of <#>", rank, (what, len(logs)), place=place)
    if match := says(ledger, player, "log p of all so far ?<#>"):
        first = len(truth.prompt) - 1
        totals = [truth.written_log[i : step + 1].sum() for i in (0, first) if i <= step]
        value, what = nearest(totals, match[1]), "log p of all so far"
        check_stated(ledger, what, match[1], value, place=place, slack=2e-4)


def _check_chips(seen: Seen, truth: Truth, ledger: Ledger, step: int) -> None:
    """The two decimals under the tokens: what the step reads, in the head in view."""
    for kind in truth.run.kinds:
        if kind == "encoder self-attention":
            continue
        part = KINDS[kind][1]
        found = seen.page.evaluate(
            """(part) => {
              const heading = auditAll('.loupe-decoding_player .loupe-heading').find((h) =>
                auditText(h).includes(`.${part}.weights`));
              const list = heading?.nextElementSibling;
              return heading && list ? [auditText(heading), [...list.children].map((item) => {
                const name = item.querySelector('bdi')?.textContent ?? '';
                return [name, auditText(item).slice(name.length).trim()].filter(Boolean);
              })] : null;
            }""",
            part,
        )
        if found is None:
            ledger.missing(f"chips of {kind}")
            continue
        match = re.search(rf"decoder\.layers\.(\d+)\.{part}\.weights\[(\d+)\]", found[0])
        if match is None:
            continue
        layer, head = (int(n) for n in match.groups())
        weights = truth.weights(kind)[layer, head, step]
        place = f"step {step}, {kind} L{layer} H{head}"
        names = truth.axis(kind)[1]
        for column, parts in enumerate(found[1][: len(names)]):
            if not parts:
                continue
            ledger.same("chips: tokens", parts[0], names[column], place)
            what, at = "chips: weights", f"{place}, {names[column]}"
            if len(parts) > 1:
                check_stated(ledger, what, parts[1], weights[column], place=at, slack=1.2e-5)
            else:
                ledger.number(what, 0.0, weights[column], 0.00502, at)


def _check_lens(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Each depth through the final projection: what it would write, the rank of what is."""
    tables = seen.tables("table.studio-lens")
    if not tables:
        ledger.missing("every depth")
        return
    run, reference = truth.run, truth.reference
    generator = reference.matrix("generator")
    bias = reference.files.tensors.get("generator.bias", np.zeros(len(generator)))
    first = len(truth.target_ids) - len(tables[0][0])
    for line in tables[0][1:]:
        name = line[0]
        if match := re.match(r"layer (\d+)", name):
            hidden = run.tensors[f"decoder.layers.{match[1]}.output"]
        elif name.startswith("embedding"):
            hidden = run.tensors["target_embedding.output"]
        else:
            continue
        if reference.config["final_norm"]:
            hidden = reference.norm("decoder.norm", hidden)
        logits = hidden @ generator.T + bias
        for column, text in enumerate(line[1:]):
            step = column + first
            place = f"{name}, step {step}"
            row = logits[step]
            best, written = np.flatnonzero(row >= row.max() - 2e-5), truth.target_ids[step + 1]
            match = re.match(sentence(r"(.+?) ?(✓|rank <#>).*$"), text)
            if match is None:
                continue
            near = truth.words.target.tokens([int(i) for i in best])
            ledger.among("every depth: token", match[1].strip(), near, place)
            high, low = (int((row > row[written] + d).sum()) + 1 for d in (2e-5, -2e-5))
            stated = 1 if match[2] == "✓" else count(match[3])
            right = high <= stated <= low
            ledger.holds("every depth: rank", text, right, f"{high} to {low}", place)


def _check_branches(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    written, what = truth.written_log[len(truth.prompt) - 1 :], "log p of the branch"
    says(
        ledger,
        seen.text(".loupe-decoding_branches"),
        r"log p <#>, <#> per token, (\d+) tokens",
        (what, written.sum()),
        (what, written.mean()),
        ("tokens of the branch", len(written)),
        slack=2e-4,
        missing=what,
    )


def _check_cache(seen: Seen, truth: Truth, ledger: Ledger, step: int) -> None:
    """What a pass adds: keys and values of all layers and heads, four bytes a number."""
    said, config, place = seen.text(".loupe-decoding_cache"), truth.reference.config, f"step {step}"
    kept = config.get("n_kv_heads") or config["n_heads"]
    each = config["n_decoder_layers"] * kept * (config["d_k"] + config["d_v"])
    new = r"New: (\d+) target positions?(?: and (\d+) source positions)?: <#> numbers, <#> bytes"
    if match := says(ledger, said, new):
        numbers = (int(match[1]) + int(match[2] or 0)) * each
        ledger.same("numbers in the cache", count(match[3]), numbers, place)
        ledger.same("bytes in the cache", count(match[4]), 4 * numbers, place)
        if step and truth.translates:
            ledger.same("new positions of a pass", (match[1], match[2]), ("1", None), place)
