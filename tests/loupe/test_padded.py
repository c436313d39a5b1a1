"""Padding changes neither positions nor the difference between a run and the plain model."""

import pytest
import torch
from torch import Tensor, nn

import loupe
from loupe.picture import heads_of
from model.foreign.recording.comparison import distance
from tests.loupe.spread import made

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": 60,
    "pad_token_id": 0,
}
IDS = torch.tensor([[0, 0, 0, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19]])
MASK = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 1, 1], [1] * 9])
PLACES = (MASK.cumsum(-1) - 1).clamp(min=0)


def gpt2() -> nn.Module:
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 60, "n_positions": 32}
    return made("GPT2LMHeadModel", "GPT2Config", **sizes)


@pytest.mark.parametrize("rows", [slice(0, 1), slice(0, 2), slice(1, 2)])
def test_positions_of_a_text_that_is_padded_on_the_left_are_positions(rows: slice) -> None:
    model = gpt2()
    places = PLACES[rows]
    given = {"input_ids": IDS[rows], "attention_mask": MASK[rows], "position_ids": places}
    run = loupe.trace(model, inputs=given)
    expected = model.transformer.wpe(places)
    found = run["target_embedding.positions"]
    assert torch.equal(found.expand_as(expected), expected)
    assert not run.names("*.segments")
    both = run["target_embedding.tokens"] + run["target_embedding.positions"]
    torch.testing.assert_close(both, run["target_embedding.output"])


def test_positions_that_a_mask_counts_are_positions() -> None:
    sizes = {"hidden_size": 32, "ffn_dim": 48, "word_embed_proj_dim": 32, "vocab_size": 60}
    model = made("OPTForCausalLM", "OPTConfig", **sizes, num_hidden_layers=2, num_attention_heads=4)
    run = loupe.trace(model, inputs={"input_ids": IDS[:1], "attention_mask": MASK[:1]})
    table = model.model.decoder.embed_positions.weight
    expected = table[MASK[0].cumsum(0) * MASK[0] - 1 + 2]
    assert torch.equal(run["target_embedding.positions"], expected)
    assert not run.names("*.segments")


@pytest.mark.parametrize("kinds", [[0] * 9, [0] * 6 + [1] * 3])
def test_segments_of_a_padded_text_stay_segments(kinds: list[int]) -> None:
    model = made("BertForMaskedLM", "BertConfig", **SIZES)
    types = torch.tensor([kinds])
    given = {"input_ids": IDS[:1], "attention_mask": MASK[:1], "position_ids": PLACES[:1]}
    run = loupe.trace(model, inputs={**given, "token_type_ids": types})
    table = model.bert.embeddings
    assert torch.equal(run["source_embedding.segments"], table.token_type_embeddings(types))
    expected = table.position_embeddings(PLACES[0])
    assert torch.equal(run["source_embedding.positions"], expected)


@pytest.mark.parametrize("turn", [False, True])
def test_positions_beside_padding_on_either_side_of_roberta(turn: bool) -> None:
    settings = {**SIZES, "type_vocab_size": 1}
    model = made("RobertaForMaskedLM", "RobertaConfig", **settings)
    ids, mask = (x.flip(1) if turn else x for x in (IDS[:1], MASK[:1]))
    run = loupe.trace(model, inputs={"input_ids": ids, "attention_mask": mask})
    counted = (mask.cumsum(1) * mask)[0]
    expected = model.roberta.embeddings.position_embeddings(counted)
    assert torch.equal(run["source_embedding.positions"], expected)


@pytest.mark.parametrize("kind", ["Bloom", "Mpt"])
def test_a_padded_causal_model_is_a_decoder(kind: str) -> None:
    sizes = {
        "Bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
        "Mpt": {"d_model": 32, "n_layers": 2, "n_heads": 4},
    }
    model = made(f"{kind}ForCausalLM", f"{kind}Config", **sizes[kind], vocab_size=60)
    run = loupe.trace(model, inputs={"input_ids": IDS, "attention_mask": MASK})
    assert not run.names("encoder.*")
    assert [heads.kind for heads in heads_of(run)] == ["decoder self-attention"]


class Tagger(nn.Module):
    """A model whose encoder zeroes padded rows, which its last linear map turns into numbers."""

    def __init__(self, *, flat: bool = False) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.embed, self.out = nn.Embedding(20, 32), nn.Linear(32, 20)
        self.encoder, self.flat = nn.TransformerEncoder(layer, 2), flat

    def forward(self, ids: Tensor) -> Tensor:
        x = self.out(self.encoder(self.embed(ids), src_key_padding_mask=ids == 0))
        return x.flatten(0, 1) if self.flat else x


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize(
    "ids", [[[3, 4, 5, 0, 0], [6, 7, 0, 0, 0]], [[0, 0, 3, 4, 5], [0, 0, 0, 6, 7]], [[0, 3, 0]]]
)
def test_rows_that_nobody_reads_are_not_compared(ids: list[list[int]], flat: bool) -> None:
    given = torch.tensor(ids)
    model = Tagger(flat=flat).eval()
    with torch.no_grad():
        plain = model(given).reshape(*given.shape, -1)
    run = loupe.trace(model, inputs=given, check=True)
    assert run.differs is not None
    assert run.differs < 1e-4
    found = run["output" if flat else "logits"].reshape(*given.shape, -1)
    torch.testing.assert_close(found[given != 0], plain[given != 0], atol=1e-4, rtol=1e-4)


def test_a_row_that_is_read_is_compared() -> None:
    mask = torch.tensor([[True, True, False]])[:, None, None].expand(1, 1, 3, 3)
    plain, other = torch.zeros(1, 3, 2), torch.zeros(1, 3, 2)
    other[0, 2] = 5
    assert distance(plain, other, [mask]) == 0
    other[0, 1] = 3
    plain[0, 1] = 1
    assert distance(plain, other, [mask]) == 2
    assert distance(plain, other, [mask, torch.ones(1, 1, 3, 3, dtype=torch.bool)]) == 5
    assert distance(plain.transpose(0, 1), other.transpose(0, 1), [mask]) == 2
