"""A folder of the family gives the logits of the torch module that it was saved from."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor, nn

import loupe

WORDS = ["<unk>", "the", "cat", "dog", "sees", "a", "bird", "and", "sleeps", "."]
SIZES = {"width": 16, "heads": 2, "layers": 2, "inner": 32, "longest": 12, "vocabulary": len(WORDS)}


class AcmeGpt(nn.Module):
    """The model as its author wrote it."""

    def __init__(self) -> None:
        super().__init__()
        width = SIZES["width"]
        self.tokens = nn.Embedding(SIZES["vocabulary"], width)
        self.places = nn.Embedding(SIZES["longest"], width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width,
                SIZES["heads"],
                SIZES["inner"],
                activation="gelu",
                norm_first=True,
                batch_first=True,
            )
            for _ in range(SIZES["layers"])
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, SIZES["vocabulary"], bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        """Compute the logits."""
        length = ids.size(1)
        x = self.tokens(ids) + self.places(torch.arange(length))
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=True)
        return self.head(self.norm(x))


def save(model: nn.Module, folder: Path) -> None:
    """Write the three files that Loupe reads."""
    (folder / "config.json").write_text(json.dumps({"model_type": "acme-gpt"} | SIZES))
    save_file(model.state_dict(), folder / "model.safetensors")
    vocabulary = {word: id for id, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


def test_the_logits_are_those_of_the_module(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = AcmeGpt().eval()
    save(model, tmp_path)
    run = loupe.trace(loupe.load(tmp_path), "the cat sees a bird and the dog sleeps .")
    ids = torch.tensor([[WORDS.index(word) for word in run.tokens.target]])
    with torch.no_grad():
        expected = model(ids)
    found = run["logits"][:, : ids.size(1)]
    # One rounding for each term of each sum on the way, each of 2^-24 of the largest number.
    roundings = SIZES["layers"] * (5 * SIZES["width"] + SIZES["inner"] + SIZES["longest"])
    torch.testing.assert_close(found, expected, rtol=0, atol=roundings * 2**-24 * 4)
