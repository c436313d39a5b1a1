"""A branch beside the model's choice: its title, its score, and where the two differ."""

import random
from difflib import SequenceMatcher
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from tests.node import told_by
from texts import say, say_of

SCRIPT = Path(__file__).with_name("told_branches.js")
BASE = [5, 6, 7, 8, 2]
CASES = [
    ([5, 9, 7, 8, 2], 1, [False, True, False, False, False]),
    ([5, 9, 9, 6, 7, 8, 2], 1, [False, True, True, False, False, False, False]),
    ([5, 8, 2], 1, [False, True, False]),
    (BASE, 2, [False, False, True, False, False]),
    ([], None, []),
]
"""The ids of a branch, the step at which another token was taken, and the marked steps."""


def branch(ids: list[int], *forks: int, prompt: int = 0) -> dict[str, Any]:
    return {
        "text": " ".join(map(str, ids)),
        "ids": ids,
        "tokens": [f"t{id}" for id in ids],
        "logs": [-id / 8 for id in ids],
        "prompt": prompt,
        "forks": list(forks),
        "finished": True,
    }


def told(*sent: list[dict[str, Any]], paths: Any = ()) -> dict[str, Any]:
    asked = [{"mode": "Sampling", "branches": branches} for branches in sent]
    return told_by(SCRIPT, {"sent": asked, "paths": paths})


def test_what_a_branch_has_of_its_own_is_marked_and_what_was_taken():
    pairs = [[branch(BASE), branch(ids, *([] if at is None else [at]))] for ids, at, _ in CASES]
    for (base, other), (_, _, marked) in zip(told(*pairs)["branches"], CASES, strict=True):
        assert not any(base["differs"])
        assert other["differs"] == marked


def test_stretches_are_matched_as_difflib_matches_them():
    chance = random.Random(0)
    texts = [[chance.randrange(5) for _ in range(chance.randrange(20))] for _ in range(400)]
    pairs = [[branch(a), branch(b)] for a, b in zip(texts[::2], texts[1::2], strict=True)]
    for base, other in told(*pairs)["branches"]:
        expected = [True] * len(other["ids"])
        matcher = SequenceMatcher(a=base["ids"], b=other["ids"], autojunk=False)
        for block in matcher.get_matching_blocks():
            expected[block.b : block.b + block.size] = [False] * block.size
        assert other["differs"] == expected, (base["ids"], other["ids"])


def test_a_branch_is_titled_by_the_last_token_that_was_taken_and_its_step():
    [[base, other]] = told([branch(BASE, prompt=3), branch([5, 9, 4], 1, 2, prompt=3)])["branches"]
    assert base["title"] == say_of("decoding.base", "Sampling")
    assert other["title"] == say("decoding.branch", token="t4", step=5)
    assert (base["total"], other["total"]) == (-28 / 8, -18 / 8)


def test_a_prompt_does_not_count_in_the_total_of_a_step():
    logs = [-0.5, -0.25, -2.0, -1.0]
    totals = told(paths=[{"logs": logs, "prompt": prompt} for prompt in (0, 2, 9)])["totals"]
    assert totals[0] == pytest.approx(list(accumulate(logs)))
    assert totals[1:] == [[0.0, 0.0, -2.0, -3.0], [0.0] * 4]
