"""The page of decoding: the player at several steps, the cache, every depth, the branches."""

import math
import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, read_number
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.files import Array
from qa.audit.reference.layers import softmax
from qa.audit.seen import Seen
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
    said = seen.text(".loupe-answer")
    size = truth.log_probabilities.shape[1]
    if match := re.search(rf"gives all ({NUMBER}) tokens", said):
        ledger.same("tokens that it knows", int(match[1].replace(",", "")), size)
    else:
        ledger.missing("tokens that it knows")
    if match := re.search(rf"least sure at step (\d+): “(.+?)”, ({NUMBER} %)", said):
        first = len(truth.prompt) - 1
        written = np.exp(truth.written_log)
        near = [i for i in range(first, len(written)) if written[i] <= written[first:].min() + 1e-5]
        ledger.among("least sure step", int(match[1]), near)
        ledger.same("least sure step", match[2], truth.target_tokens[int(match[1]) + 1])
        check_stated(ledger, "least sure step", match[3], written[first:].min())


def _check_step(seen: Seen, truth: Truth, ledger: Ledger, step: int) -> None:
    logs = truth.log_probabilities[step]
    tokens = truth.words.target
    place = f"step {step}"
    player = seen.text(".loupe-decoding_player")
    shown = seen.page.evaluate(
        "() => auditAll('.studio-scrubber').map((s) => [Number(s.value), Number(s.max)])"
    )
    ledger.same("step in view", shown[:1], [[step, len(truth.target_ids) - 2]], place)
    said = re.search(r"Candidates for step (\d+) ?logits\[(\d+)\]", player)
    ledger.same(
        "step of the candidates", said and [int(n) for n in said.groups()], [step, step], place
    )
    order = np.argsort(-logs, kind="stable")
    rows = seen.page.evaluate(
        """() => auditAll('button.studio-candidate').map((button) =>
          [...button.children].map(auditText))"""
    )
    if len(rows) != min(10, len(logs)):
        ledger.same("candidates", len(rows), min(10, len(logs)), place)
    for rank, cells in enumerate(rows):
        parts = [c for c in cells if c]
        if len(parts) < 4:
            ledger.missing("candidates")
            continue
        near = [
            tokens.token(int(i))
            for i in order[max(0, rank - 2) : rank + 3]
            if abs(logs[i] - logs[order[rank]]) < 2e-5
        ]
        ledger.same("rank of a candidate", parts[0], str(rank + 1), place)
        ledger.among("candidate", parts[1], near, place)
        check_stated(
            ledger,
            "probability of a candidate",
            parts[2],
            math.exp(logs[order[rank]]),
            place=place,
            slack=2e-6,
        )
        check_stated(
            ledger, "log p of a candidate", parts[3], logs[order[rank]], place=place, slack=3e-5
        )
    if match := re.search(rf"({NUMBER}) others: ({NUMBER})", player):
        ledger.same("others", int(match[1].replace(",", "")), len(logs) - 10, place)
        check_stated(
            ledger, "others", match[2], 1 - np.exp(logs[order[:10]]).sum(), place=place, slack=3e-6
        )
    _check_numbers(player, truth, ledger, step, logs)
    _check_chips(seen, truth, ledger, step)


def _check_numbers(player: str, truth: Truth, ledger: Ledger, step: int, logs: Array) -> None:
    place = f"step {step}"
    shares = np.exp(logs)
    bits = float(-(shares * logs).sum() / math.log(2))
    most = math.log2(len(logs))
    match = re.search(rf"Entropy ?({NUMBER}) bits ?of at most ({NUMBER}): ({NUMBER} %)", player)
    if match is None:
        ledger.missing("entropy of the step")
        return
    check_stated(ledger, "entropy of the step, bits", match[1], bits, place=place, slack=2e-5)
    check_stated(ledger, "entropy of the step, at most", match[2], most, place=place)
    check_stated(ledger, "entropy of the step, share", match[3], bits / most, place=place)
    written = truth.target_ids[step + 1]
    rank = int((logs > logs[written]).sum()) + 1
    if match := re.search(rf"its probability ?({NUMBER})", player):
        check_stated(
            ledger,
            "probability of what is written",
            match[1],
            shares[written],
            place=place,
            slack=2e-6,
        )
    if match := re.search(rf"its rank ?({NUMBER}) of ({NUMBER})", player):
        found = [int(n.replace(",", "")) for n in match.groups()]
        ledger.same("rank of what is written", found, [rank, len(logs)], place)
    if match := re.search(rf"log p of all so far ?({NUMBER})", player):
        first = len(truth.prompt) - 1
        total = truth.written_log[first : step + 1].sum() if step >= first else math.nan
        both = [total, truth.written_log[: step + 1].sum()]
        seen_ = read_number(match[1])
        nearest = min(both, key=lambda value: abs(value - seen_.middle))
        check_stated(
            ledger, "log p of all so far", match[1], float(nearest), place=place, slack=2e-4
        )


def _check_chips(seen: Seen, truth: Truth, ledger: Ledger, step: int) -> None:
    """The two decimals under the tokens: what the step reads, in the head in view."""
    for stack, kind in (
        ("decoder.layers", "decoder self-attention"),
        ("decoder.layers", "cross-attention"),
    ):
        if kind not in truth.run.kinds:
            continue
        part = "cross_attn" if kind == "cross-attention" else "self_attn"
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
        match = re.search(rf"{stack}\.(\d+)\.{part}\.weights\[(\d+)\]", found[0])
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
            value = weights[column]
            if len(parts) > 1:
                check_stated(
                    ledger,
                    "chips: weights",
                    parts[1],
                    value,
                    place=f"{place}, {names[column]}",
                    slack=1.2e-5,
                )
            else:
                ledger.number("chips: weights", 0.0, value, 0.00502, f"{place}, {names[column]}")


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
            best = [
                truth.words.target.token(int(i)) for i in np.flatnonzero(row >= row.max() - 2e-5)
            ]
            written = truth.target_ids[step + 1]
            match = re.match(rf"(.+?) ?(✓|rank ({NUMBER}))(.*)$", text)
            if match is None:
                continue
            ledger.among("every depth: token", match[1].strip(), best, place)
            ranks = [int((row > row[written] + d).sum()) + 1 for d in (-2e-5, 2e-5)]
            stated = 1 if match[2] == "✓" else int(match[3].replace(",", ""))
            ledger.holds(
                "every depth: rank", text, min(ranks) <= stated <= max(ranks), f"{ranks}", place
            )


def _check_branches(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    said = seen.text(".loupe-decoding_branches")
    match = re.search(rf"log p ({NUMBER}), ({NUMBER}) per token, (\d+) tokens", said)
    if match is None:
        ledger.missing("log p of the branch")
        return
    first = len(truth.prompt) - 1
    written = truth.written_log[first:]
    check_stated(ledger, "log p of the branch", match[1], written.sum(), slack=2e-4)
    check_stated(ledger, "log p of the branch", match[2], written.mean(), slack=2e-5)
    ledger.same("tokens of the branch", int(match[3]), len(written))


def _check_cache(seen: Seen, truth: Truth, ledger: Ledger, step: int) -> None:
    """What a pass adds: keys and values of all layers and heads, four bytes a number."""
    said = seen.text(".loupe-decoding_cache")
    config = truth.reference.config
    size = config["d_k"] + config["d_v"]
    kept = config.get("n_kv_heads") or config["n_heads"]
    each = config["n_decoder_layers"] * kept * size
    match = re.search(
        r"New: (\d+) target positions?(?: and (\d+) source positions)?: "
        rf"({NUMBER}) numbers, ({NUMBER}) bytes",
        said,
    )
    if match is None:
        return
    positions = int(match[1]) + int(match[2] or 0)
    numbers = int(match[3].replace(",", ""))
    ledger.same("numbers in the cache", numbers, positions * each, f"step {step}")
    ledger.same("bytes in the cache", int(match[4].replace(",", "")), 4 * numbers, f"step {step}")
    if step and truth.translates:
        ledger.same("new positions of a pass", (match[1], match[2]), ("1", None), f"step {step}")


def distribution(truth: Truth, step: int) -> Array:
    """Give the probabilities of all words at a step."""
    return softmax(truth.log_probabilities[step])
