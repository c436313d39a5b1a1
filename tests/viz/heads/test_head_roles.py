"""The jobs of heads, counted again by plain loops, and on heads whose jobs are known."""

import copy
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.transformer import Transformer
from sample_data.everyday import english_classes
from sample_data.tasks import load_held_out
from tests.checkpoints import SHIPPED
from viz.heads.head_roles import (
    HeadRole,
    Rows,
    find_jobs,
    find_roles,
    job_hits,
    jobs_in_order,
)
from viz.heads.jobs import JOBS
from viz.run.axes import all_heads
from viz.run.making import make_run

ENCODER = "encoder self-attention"
COUNT = 60


@pytest.fixture(scope="module")
def shipped() -> Checkpoint:
    return load_checkpoint(SHIPPED / "everyday-paper-0")


class Arranged(Transformer):
    """A model whose first encoder layer has the weights that a test gives, one matrix per head."""

    def forward(self, source, target):
        trace = super().forward(source, target)
        first, *others = trace.encoder.layers
        weights = torch.stack([self.arrange(ids) for ids in source])
        first = replace(first, self_attn=replace(first.self_attn, weights=weights))
        return replace(trace, encoder=replace(trace.encoder, layers=(first, *others)))


def arranged(shipped: Checkpoint, arrange) -> Checkpoint:
    model = copy.copy(shipped.model)
    model.__class__ = Arranged
    model.arrange = arrange
    return replace(shipped, model=model)


def test_heads_with_a_known_job_get_it_and_others_none(shipped):
    tokens = shipped.info.tokenizers.source.all_tokens
    generator = torch.Generator().manual_seed(0)

    def arrange(ids: torch.Tensor) -> torch.Tensor:
        size = len(ids)
        before = torch.eye(size).roll(-1, dims=1)
        to_noun = torch.rand(size, size, generator=generator)
        words = [english_classes().get(tokens[i], "") for i in ids.tolist()]
        for row, name in enumerate(words):
            nouns = [key for key in range(row + 1, size) if words[key] == "noun"]
            if name == "adjective" and nouns:
                to_noun[row] = 0
                to_noun[row, nouns[0]] = 1
        anywhere = torch.rand(size, size, generator=generator)
        even = torch.full((size, size), 1 / size)
        return torch.stack([before, to_noun, anywhere, even])

    roles = find_roles(arranged(shipped, arrange), 300)
    before, to_noun, anywhere, even = roles.heads[ENCODER][0]
    assert (before[0].job.name, before[0].rate) == ("reads_before", 1)
    assert to_noun[0].job.name == "adjective_noun"
    assert to_noun[0].rate > 0.9  # not if a noun of another phrase comes first
    assert to_noun[0].chance < 0.3
    assert anywhere == ()
    # Its ties go to the first key in every row, and that is usually the subject.
    assert {role.job.name for role in even} <= {"verb_subject"}


def role(name: str, rate: float, chance: float, rows: int = 100) -> HeadRole:
    return HeadRole(next(job for job in JOBS if job.name == name), rows, rate, chance)


@pytest.mark.parametrize(
    ("measured", "names"),
    [
        (  # many rows do not weigh more than few
            [role("reads_itself", 0.501, 0.116, 17_241), role("modifier_noun", 0.926, 0.271)],
            ["modifier_noun", "reads_itself"],
        ),
        (  # a partial job is left out if the head does the whole one, and kept if it does not
            [role("adjective_noun", 0.99, 0.1), role("modifier_noun", 0.9, 0.2)],
            ["modifier_noun"],
        ),
        ([role("adjective_noun", 0.99, 0.1), role("modifier_noun", 0.4, 0.2)], ["adjective_noun"]),
        (  # too rare, too close to chance, in too few rows
            [
                role("reads_before", 0.49, 0.1),
                role("reads_after", 0.9, 0.71),
                role("reads_itself", 1.0, 0.1, 19),
            ],
            [],
        ),
    ],
)
def test_the_farthest_above_chance_comes_first(measured, names):
    for order in permutations(measured):
        assert [found.job.name for found in jobs_in_order(order)] == names


def test_a_row_with_two_right_keys_is_one_row():
    """By hand: of three rows over ten keys, two have three right cells and read one each."""
    rows = Rows(
        read=np.array([[1, 4, 0]]),
        weight=np.array([[0.6, 0.8, 0.9]]),
        allowed=np.array([10, 10, 10]),
        place=np.array([0, 1, 2]),
        keys=np.array([10, 10, 10]),
        sentence=np.array([0, 0, 0]),
    )
    job = next(job for job in JOBS if job.name == "modifier_noun")
    cells = {job: (np.array([0, 0, 1]), np.array([1, 2, 4]))}
    [(found,)] = find_jobs(rows, cells, least_rows=2)
    # The three rows read at distances 1, 3 and -2, so habit alone explains two of the cells.
    assert (found.rows, found.rate) == (2, 1)
    assert found.weight == pytest.approx((0.6 + 0.8) / 2)
    assert found.chance == pytest.approx(max(3 * 0.1, 2 / 3) / 2)


@pytest.mark.slow
def test_rates_and_chances_are_those_of_plain_loops(shipped, monkeypatch):
    typed = [pair for pair in load_held_out("everyday") if "<" not in pair.source][:COUNT]
    monkeypatch.setattr("viz.heads.head_roles.load_held_out", lambda _task: typed)
    layer, head, found = next(
        (layer, head, role)
        for layer, heads in enumerate(find_roles(shipped, COUNT).heads[ENCODER])
        for head, roles in enumerate(heads)
        for role in roles
        if role.job.name == "modifier_noun"
    )
    modifiers = hits = uniform = 0.0
    reads: list[list[int]] = []
    pairs: list[tuple[int, int, int]] = []  # sentence, modifier, noun
    for number, pair in enumerate(typed):
        run = make_run(shipped, pair.source, pair.target)
        reads.append(all_heads(run, ENCODER)[layer, head].argmax(axis=-1).tolist())
        words = pair.source.split()
        for row, word in enumerate(words):
            if english_classes().get(word) not in ("determiner", "adjective"):
                continue
            key = row + 1
            while words[key : key + 1] and english_classes().get(words[key]) in (
                "adjective",
                "adverb",
                "conjunction",
            ):
                key += 1
            if words[key : key + 1] and english_classes().get(words[key]) == "noun":
                modifiers += 1
                hits += reads[-1][row] == key
                uniform += 1 / (len(words) + 1)
                pairs.append((number, row, key))
    habit = 0.0
    for _, row, key in pairs:
        away = [
            (row_of + key - row == read)
            for row_reads in reads
            for row_of, read in enumerate(row_reads)
            if 0 <= row_of + key - row < len(row_reads)
        ]
        habit += sum(away) / len(away)
    assert (found.rows, found.rate) == (modifiers, pytest.approx(hits / modifiers))
    assert found.chance == pytest.approx(max(uniform, habit) / modifiers)


def test_a_task_of_ones_own_has_no_sentences_to_look_at(shipped):
    assert find_roles(replace(shipped, info=replace(shipped.info, task="mine"))) is None


@pytest.mark.slow
def test_a_job_is_done_in_as_many_rows_as_the_role_says(shipped):
    roles = find_roles(shipped, COUNT)
    seen = 0
    for layer, heads in enumerate(roles.heads[ENCODER]):
        for head, found in enumerate(heads):
            for role in found:
                hits = job_hits(shipped, role.job.name, COUNT)
                assert hits.shape == (2, 4, role.rows)
                assert hits[layer, head].mean() == pytest.approx(role.rate)
                seen += 1
    assert seen


def test_a_job_of_no_row_is_done_in_none(shipped):
    assert job_hits(shipped, "it_referent", 1).shape == (2, 4, 0)
    other = load_checkpoint(SHIPPED / "brackets")
    assert job_hits(other, "reads_before", 5).size == 0
