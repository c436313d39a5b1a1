"""The jobs of heads, counted once more by plain loops, and on heads whose job is known."""

import copy
from dataclasses import replace

import pytest
import torch

from model.checkpoint import Checkpoint, load_checkpoint
from model.transformer import Transformer
from sample_data.english_french import english_classes
from sample_data.tasks import load_held_out
from tests.checkpoints import SHIPPED
from viz.run.head_roles import LEAST_ABOVE_CHANCE, LEAST_RATE, find_roles, job_hits
from viz.run.parcel import pack_measures
from viz.run.record import KINDS, all_heads, make_run

ENCODER = "encoder self-attention"
COUNT = 60


@pytest.fixture(scope="module")
def shipped() -> Checkpoint:
    return load_checkpoint(SHIPPED / "english-french-paper-0")


class Arranged(Transformer):
    """A model whose first encoder layer reads as a test says: one matrix for each head."""

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
        words = [english_classes.get(tokens[i], "") for i in ids.tolist()]
        for row, name in enumerate(words):
            nouns = [key for key in range(row + 1, size) if words[key] == "noun"]
            if name == "adjective" and nouns:
                to_noun[row] = 0
                to_noun[row, nouns[0]] = 1
        anywhere = torch.rand(size, size, generator=generator)
        even = torch.full((size, size), 1 / size)
        return torch.stack([before, to_noun, anywhere, even])

    roles = find_roles(arranged(shipped, arrange), 150)
    before, to_noun, anywhere, even = roles.heads[ENCODER][0]
    assert (before.job.name, before.rate) == ("reads_before", 1)
    assert to_noun.job.name == "adjective_noun"
    assert to_noun.rate > 0.9  # not where a noun of another phrase comes first
    assert to_noun.chance < 0.3
    assert anywhere is None
    assert even is None  # all its rows read the first key, as ties do


def test_a_habit_of_place_is_no_grammar(shipped):
    """Adjectives stand before their noun, so a head that reads the next token reads their noun."""
    after = find_roles(
        arranged(shipped, lambda ids: torch.eye(len(ids)).roll(1, dims=1).expand(4, -1, -1)), 150
    )
    for role in after.heads[ENCODER][0]:
        assert role.job.name == "reads_after"
        assert role.rate == 1


def test_rates_and_chances_are_those_of_plain_loops(shipped):
    roles = find_roles(shipped, COUNT)
    adjectives = hits = uniform = 0.0
    reads: list[list[int]] = []
    pairs: list[tuple[int, int, int]] = []  # sentence, adjective, noun
    for number, pair in enumerate(load_held_out("english-french")[:COUNT]):
        run = make_run(shipped, pair.source, "cpu", pair.target)
        reads.append(all_heads(run, ENCODER)[1, 3].argmax(axis=-1).tolist())
        words = pair.source.split()
        for row, word in enumerate(words):
            if english_classes[word] != "adjective":
                continue
            key = row + 1
            while words[key : key + 1] and english_classes[words[key]] in (
                "adjective",
                "adverb",
                "conjunction",
            ):
                key += 1
            if words[key : key + 1] and english_classes[words[key]] == "noun":
                adjectives += 1
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
    found = roles.heads[ENCODER][1][3]
    assert found.job.name == "adjective_noun"
    assert (found.rows, found.rate) == (adjectives, pytest.approx(hits / adjectives))
    assert found.chance == pytest.approx(max(uniform, habit) / adjectives)


def test_most_heads_of_the_shipped_model_have_a_job_and_each_keeps_the_rules(shipped):
    roles = find_roles(shipped)
    config = shipped.info.config
    found = [role for kind in KINDS for layer in roles.heads[kind] for role in layer]
    assert len(found) == config.n_heads * (config.n_encoder_layers + 2 * config.n_decoder_layers)
    named = [role for role in found if role is not None]
    assert 2 * len(named) > len(found)
    for role in named:
        assert LEAST_RATE <= role.rate <= 1
        assert role.rate - role.chance >= LEAST_ABOVE_CHANCE
    packed = pack_measures({}, "run", roles)["roles"]
    assert packed["sentences"] == roles.sentences
    assert packed["heads"][ENCODER][1][3] == {
        "job": "adjective_noun",
        "rate": roles.heads[ENCODER][1][3].rate,
        "chance": roles.heads[ENCODER][1][3].chance,
    }


def test_a_task_of_ones_own_has_no_sentences_to_look_at(shipped):
    assert find_roles(replace(shipped, info=replace(shipped.info, task="mine"))) is None


def test_a_job_is_done_in_as_many_rows_as_the_role_says(shipped):
    roles = find_roles(shipped, COUNT)
    seen = 0
    for layer, heads in enumerate(roles.heads[ENCODER]):
        for head, role in enumerate(heads):
            if role:
                hits = job_hits(shipped, role.job.name, COUNT)
                assert hits.shape == (2, 4, role.rows)
                assert hits[layer, head].mean() == pytest.approx(role.rate)
                seen += 1
    assert seen


def test_a_job_of_no_row_is_done_in_none(shipped):
    assert job_hits(shipped, "it_noun", 1).shape == (2, 4, 0)
    other = load_checkpoint(SHIPPED / "brackets")
    assert job_hits(other, "reads_before", 5).size == 0
