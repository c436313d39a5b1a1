"""The slide on sampling draws another sentence than the likeliest, on every processor."""

import pytest
import torch
from torch import Tensor

from model.decoding.distribution import sampling_distribution
from model.decoding.greedy import greedy, sample
from model.decoding.steps import DecodingStep
from sample_data.everyday.classes import english_classes, french_classes
from tests.checkpoints import SHIPPED
from tests.viz.subjects.lecture.test_shipped_decks import DECKS, query_of
from texts import LANGUAGES
from viz.frame.link_inputs import inputs_of_link
from viz.models import listing, opening, running
from viz.subjects.decoding.strategy import Shaping, read_shaping

SLIDE = next(
    slide
    for slide in DECKS["en/inside_a_transformer.json"]["slides"]
    if query_of(slide).get("decoding") == "Sampling"
)
MARGIN = 1e-3
"""Far above the difference between processors: a float32 logit is off by less than 1e-5, and a
probability p moves by p (1 - p) times this, so a sum of them moves by less than 1e-5."""


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))


def shaping_and_seed() -> tuple[Shaping, int]:
    text, _, seed = query_of(SLIDE)["drawn"].rpartition(":")
    shaping = read_shaping(text)
    assert shaping is not None
    return shaping, int(seed)


@pytest.fixture
def written() -> tuple[list[DecodingStep], list[DecodingStep], list[str]]:
    """Return the sampled steps, those of the likeliest tokens, and the vocabulary."""
    inputs = inputs_of_link(SLIDE["link"], listing.listed_names())
    assert inputs is not None
    run = running.open_view(inputs).run
    source = torch.tensor([list(run.source.ids)])
    shaping, seed = shaping_and_seed()
    checkpoint = opening.load_checkpoint(inputs.checkpoint, "cpu")
    drawn = sample(
        checkpoint.model,
        source,
        temperature=shaping.temperature,
        top_k=shaping.top_k or None,
        top_p=shaping.top_p,
        seed=seed,
    )
    tokens = list(checkpoint.info.tokenizers.target.all_tokens)
    return list(drawn), list(greedy(checkpoint.model, source)), tokens


def test_the_draw_is_a_french_sentence_and_the_right_one(written):
    drawn, likeliest, tokens = written
    words = [tokens[step.token] for step in drawn]
    assert words.pop() == "</s>"
    assert set(words) <= set(french_classes())
    assert not set(words) & (set(english_classes()) - set(french_classes()))
    assert " ".join(words) == held_out()["she gives them a little tea ."]
    assert [step.token for step in drawn] != [step.token for step in likeliest]


def held_out() -> dict[str, str]:
    file = SHIPPED.parent / "held_out" / "everyday.tsv"
    lines = (line.split("\t") for line in file.read_text("utf-8").splitlines())
    return {english: french for english, french, _ in lines}


def test_the_notes_name_the_likeliest_word_and_the_one_drawn(written):
    drawn, likeliest, tokens = written
    pairs = zip(likeliest, drawn, strict=False)
    other = next((a.token, b.token) for a, b in pairs if a.token != b.token)
    for spoken in LANGUAGES:
        notes = next(
            slide["notes"]
            for slide in DECKS[f"{spoken}/inside_a_transformer.json"]["slides"]
            if slide["id"] == SLIDE["id"]
        )
        places = [notes.index(f"{QUOTE[spoken]}{tokens[token]}") for token in other]
        assert places == sorted(places)


QUOTE = {"en": "“", "fr": "«\u00a0"}


def test_no_draw_and_no_cut_is_near_a_boundary(written):
    drawn, _, _ = written
    shaping, seed = shaping_and_seed()
    generator = torch.Generator().manual_seed(seed)
    for step in drawn:
        uniform = torch.rand(1, generator=generator, dtype=torch.float64)
        every = sampling_distribution(step.logits, temperature=shaping.temperature)
        kept = sampling_distribution(
            step.logits,
            temperature=shaping.temperature,
            top_k=shaping.top_k or None,
            top_p=shaping.top_p,
        )
        between = kept[kept > 0].cumsum(dim=0)[:-1]
        cuts = every.sort(descending=True).values.cumsum(dim=0)
        assert nearest_to(uniform, between) > MARGIN
        assert nearest_to(torch.tensor(shaping.top_p), cuts) > MARGIN


def nearest_to(value: Tensor, bounds: Tensor) -> float:
    return float((bounds - value).abs().min()) if len(bounds) else 1.0
