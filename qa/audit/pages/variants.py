"""The page of variants: what the model without a causal mask does, measured again."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated
from qa.audit.pages.frame import check_frame
from qa.audit.reference.layers import log_softmax
from qa.audit.reference.transformer import Reference
from qa.audit.reference.words import END, START
from qa.audit.seen import Seen
from qa.audit.truth import State, Truth, held_out, truth_of

URL = "variants"
SENTENCES = 32
"""Held-out pairs that the demonstration is measured on."""


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the first demonstration against the two checkpoints that it compares."""
    seen.open(URL, state.query())
    check_frame(seen, truth, ledger)
    text = seen.text()
    example = re.search(r"with its own example: “(.+?)”", text)
    source = example[1] if example else state.source
    named = "english-french" if example else truth.files.about["task"]
    if named != "english-french":
        ledger.note("no demonstration for this task")
        return
    paper = truth_of(State("english-french-paper-0", source))
    open_ = truth_of(State("english-french-headlist", source))
    config = open_.files.config | {"causal_mask": True}
    imposed = Reference(replace(open_.files, about=open_.files.about | {"config": config}))
    table = next((t for t in seen.tables() if t and "loss, nats a token" in " ".join(t[0])), None)
    if table is None:
        ledger.missing("losses of the demonstration")
        return
    pairs = [(s, t) for s, t, _ in held_out("english-french")[:SENTENCES]]
    losses = {
        "headlist": _scores(open_.reference, open_, pairs),
        "headlist, causal mask imposed": _scores(imposed, open_, pairs),
        "paper": _scores(paper.reference, paper, pairs),
    }
    for line in table[1:]:
        if line[0] not in losses:
            continue
        loss, right = losses[line[0]]
        check_stated(ledger, "loss, nats a token", line[1], loss, place=line[0], slack=3e-5)
        check_stated(ledger, "right tokens", line[2], right, place=line[0])
    if match := re.search(rf"its loss is ({NUMBER}), ({NUMBER}) times as large", text):
        check_stated(
            ledger,
            "loss with the mask imposed",
            match[1],
            losses["headlist, causal mask imposed"][0],
            slack=3e-5,
        )
        ratio = losses["headlist, causal mask imposed"][0] / losses["headlist"][0]
        check_stated(ledger, "times as large", match[2], ratio, slack=5e-3)
    _check_shares(seen, open_, pairs, text, ledger)


def _ids(truth: Truth, source: str, target: str) -> tuple[list[int], list[int]]:
    return [*truth.words.source.encode(source), END], [
        START,
        *truth.words.target.encode(target),
        END,
    ]


def _scores(
    reference: Reference, truth: Truth, pairs: list[tuple[str, str]]
) -> tuple[float, float]:
    """Give nats a token and the share of right tokens, all tokens of all pairs alike."""
    losses, hits = [], []
    for source, target in pairs:
        read, ids = _ids(truth, source, target)
        logs = log_softmax(reference.logits(read, ids[:-1]))
        right = np.asarray(ids[1:])
        losses.extend(-logs[np.arange(len(right)), right])
        hits.extend(logs.argmax(-1) == right)
    return float(np.mean(losses)), float(np.mean(hits))


def _check_shares(
    seen: Seen, truth: Truth, pairs: list[tuple[str, str]], text: str, ledger: Ledger
) -> None:
    rows, every, following = 0, np.zeros(()), np.zeros(())
    for source, target in pairs:
        read, ids = _ids(truth, source, target)
        weights = truth.reference.forward(read, ids[:-1]).weights("decoder self-attention")
        n = weights.shape[-1]
        every = every + (weights * np.triu(np.ones((n, n)), 1)).sum((-2, -1))
        following = following + sum(weights[..., i, i + 1] for i in range(n - 1))
        rows += n - 1
    every, following = every / rows, following / rows
    table = next(
        (t for t in seen.tables() if t and t[-1][0].startswith("layer") and ";" in t[-1][-1]), None
    )
    if table is None:
        ledger.missing("shares on later tokens")
        return
    for line in table:
        if match := re.match(r"layer (\d+)", line[0]):
            for head, cell in enumerate(line[1:]):
                place = f"{line[0]}, head {head}"
                for said, computed in zip(cell.split("; "), (every, following), strict=True):
                    check_stated(
                        ledger,
                        "share on later tokens",
                        said,
                        float(computed[int(match[1]), head]),
                        place=place,
                        slack=1e-5,
                    )
    if match := re.search(
        rf"head (\d+) of layer (\d+) puts ({NUMBER} %) of a row's weight on the token", text
    ):
        best = np.unravel_index(following.argmax(), following.shape)
        ledger.same(
            "head that reads ahead most",
            (int(match[2]), int(match[1])),
            tuple(int(i) for i in best),
        )
        check_stated(ledger, "share on the very next", match[3], float(following.max()), slack=1e-5)
