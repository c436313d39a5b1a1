"""Path patching agrees with the paper's steps on a GPT-2 written by hand in float64."""

from functools import partial
from typing import NamedTuple

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import loupe
from loupe.loading import load
from model.checkpoints.checkpoint import Checkpoint
from tests.checkpoints import load_shipped
from tests.loupe.test_effects import CLEAN, CORRUPT, HEADS, LAYERS, NAMES, SIZE, Theirs

RECEIVERS = tuple(f"decoder.layers.1.self_attn.{read}[2]" for read in ("query", "key", "value"))


class Kept(NamedTuple):
    """The tensors that a pass computed, by layer."""

    read: list[Tensor]
    """Queries, keys and values (3, head, position, size)."""
    found: list[Tensor]
    """The outputs of the heads (head, position, size)."""
    fed: list[Tensor]
    """The outputs of the feed-forward networks."""
    lead: float


class ByHand:
    """A GPT-2 with every step of its paper written out."""

    def __init__(self, theirs: Theirs) -> None:
        self.of = theirs
        self.weights = {
            name.removeprefix("transformer."): value.double()
            for name, value in theirs.model.state_dict().items()
        }

    def run(
        self,
        text: str,
        found: list[Tensor] | None = None,
        fed: list[Tensor] | None = None,
        read: dict[tuple[int, int, int, int], Tensor] | None = None,
    ) -> Kept:
        """Run a text; head outputs, network outputs, or rows of what heads read may be replaced."""
        weights, ids = self.weights, self.of.ids(text)[0]
        state = weights["wte.weight"][ids] + weights["wpe.weight"][: len(ids)]
        kept = Kept([], [], [], 0.0)
        later = torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1)
        for layer in range(LAYERS):
            entered = self.norm(f"h.{layer}.ln_1", state)
            three = self.linear(f"h.{layer}.attn.c_attn", entered)
            three = three.view(len(ids), 3, HEADS, SIZE).permute(1, 2, 0, 3).clone()
            for (at, kind, head, row), new in (read or {}).items():
                if at == layer:
                    three[kind, head, row] = new
            query, key, value = three
            scores = (query @ key.mT / SIZE**0.5).masked_fill(later, -torch.inf)
            heads = scores.softmax(-1) @ value if found is None else found[layer]
            added = heads.transpose(0, 1).reshape(len(ids), -1)
            state = state + self.linear(f"h.{layer}.attn.c_proj", added)
            entered = self.norm(f"h.{layer}.ln_2", state)
            hidden = self.linear(f"h.{layer}.mlp.c_fc", entered)
            network = self.linear(
                f"h.{layer}.mlp.c_proj", functional.gelu(hidden, approximate="tanh")
            )
            network = network if fed is None else fed[layer]
            state = state + network
            kept.read.append(three)
            kept.found.append(heads)
            kept.fed.append(network)
        logits = self.norm("ln_f", state)[-1] @ weights["wte.weight"].T
        return kept._replace(lead=float(logits[self.of.answer] - logits[self.of.other]))

    def path(self, layer: int, head: int, *receivers: tuple[int, int, int], **how) -> float:
        """Return the change that a head makes through some receivers (layer, kind, head)."""
        clean, corrupt = self.run(CLEAN), self.run(CORRUPT)
        found = [value.clone() for value in clean.found]
        found[layer][head] = corrupt.found[layer][head]
        sent = self.run(CLEAN, found, clean.fed if how.get("freeze_mlps") else None)
        if not receivers:
            return sent.lead - clean.lead
        rows = how.get("at") or range(len(clean.fed[0]))
        size = len(clean.fed[0])
        put = {
            (at, kind, of, row % size): sent.read[at][kind, of, row]
            for at, kind, of in receivers
            for row in rows
        }
        return self.run(CLEAN, read=put).lead - clean.lead

    def norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * weight + bias

    def linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Theirs:
    return Theirs(tmp_path_factory.mktemp("models") / "gpt2")


@pytest.fixture(scope="module")
def hand(theirs: Theirs) -> ByHand:
    return ByHand(theirs)


@pytest.fixture(scope="module")
def ours(theirs: Theirs, tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    poured = load(loupe.save(theirs.model, theirs.words, tmp_path_factory.mktemp("ours")))
    assert isinstance(poured, Checkpoint)
    poured.model.double()
    return poured


near = partial(pytest.approx, abs=1e-9)


@pytest.mark.parametrize("how", [{}, {"at": [-1]}, {"at": [3, -1]}, {"freeze_mlps": True}])
@pytest.mark.parametrize("kind", range(3))
def test_a_head_tells_another_what_the_steps_by_hand_give(ours, hand, kind, how) -> None:
    found = loupe.path_patch(ours, CLEAN, CORRUPT, NAMES, to=RECEIVERS[kind], **how)
    assert (found.before, found.goal) == near((hand.run(CLEAN).lead, hand.run(CORRUPT).lead))
    for head in range(HEADS):
        assert float(found.values[0, head]) == near(hand.path(0, head, (1, kind, 2), **how))
    assert not found.values[1].any()
    assert found.values[0].abs().max() > 1e-4


def test_several_receive_together(ours, hand) -> None:
    found = loupe.path_patch(ours, CLEAN, CORRUPT, NAMES, to=RECEIVERS)
    by_hand = [hand.path(0, head, (1, 0, 2), (1, 1, 2), (1, 2, 2)) for head in range(HEADS)]
    assert found.values[0].tolist() == near(by_hand)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_receivers_of_two_layers_hear_what_is_below_the_higher_one(ours, hand, order) -> None:
    """The receiver in the lower layer computes before any sender, so its input does not change."""
    names = ("decoder.layers.0.self_attn.query[1]", "decoder.layers.1.self_attn.key[2]")
    to = [names[i] for i in order]
    found = loupe.path_patch(ours, CLEAN, CORRUPT, NAMES, to=to)
    by_hand = [hand.path(0, head, (0, 0, 1), (1, 1, 2)) for head in range(HEADS)]
    assert found.values[0].tolist() == near(by_hand)
    assert found.values[0].abs().max() > 1e-4
    assert not found.values[1].any()


@pytest.mark.parametrize("how", [{}, {"freeze_mlps": True}])
def test_a_head_tells_the_logits_what_the_steps_by_hand_give(ours, hand, how) -> None:
    found = loupe.path_patch(ours, CLEAN, CORRUPT, NAMES, **how)
    for layer in range(LAYERS):
        by_hand = [hand.path(layer, head, **how) for head in range(HEADS)]
        assert found.values[layer].tolist() == near(by_hand)


def test_an_encoders_head_tells_a_decoder_that_reads_it() -> None:
    """The reference makes two runs whose edits are named one by one."""
    model = load_shipped("everyday-paper-0")
    sentence = "the animal did not cross the street because it was too {} ."
    clean, corrupt = (sentence.format(word) for word in ("tired", "wide"))
    said = "l'animal n'a pas traversé la rue parce qu'"
    receiver = "decoder.layers.1.cross_attn.value[3]"
    found = loupe.path_patch(model, clean, corrupt, ("il", "elle"), to=receiver, target=said)
    ours, theirs = (loupe.trace(model, text, target=said) for text in (clean, corrupt))
    heads = [name for name in found.labels[0] if name != "encoder.layers.1.self_attn.heads"]

    def sends(_: Tensor, head: int) -> Tensor:
        new = ours["encoder.layers.1.self_attn.heads"].clone()
        new[:, head] = theirs["encoder.layers.1.self_attn.heads"][:, head]
        return new

    words = model.info.tokenizers.target
    ids = [words.encode(word).ids[0] for word in ("il", "elle")]
    for head in range(model.model.config.n_heads):
        edits = {name: lambda _, name=name: ours[name] for name in heads}
        edits["encoder.layers.1.self_attn.heads"] = partial(sends, head=head)
        sent = loupe.trace(model, clean, target=said, edits=edits)
        put = {receiver: lambda _, sent=sent: sent[receiver.partition("[")[0]][:, 3]}
        answer, other = loupe.trace(model, clean, target=said, edits=put)["logits"][0, -1, ids]
        value = found.values[1, head]
        assert float(value) == pytest.approx(float(answer - other) - found.before, abs=1e-4)
    assert found.values[1].abs().max() > 0.05
    assert not found.values[5:].any()


def test_texts_of_two_lengths_send_from_where_the_same_tokens_stand() -> None:
    """ "small" has no partner in the shorter text, so the reference leaves it unchanged."""
    model = load_shipped("everyday-paper-0")
    rest = "animal did not cross the street because it was too {} ."
    clean, corrupt = f"the small {rest.format('tired')}", f"the {rest.format('wide')}"
    said = "le petit animal n'a pas traversé la rue parce qu'"
    receiver = "decoder.layers.1.cross_attn.value[3]"
    found = loupe.path_patch(model, clean, corrupt, ("il", "elle"), to=receiver, target=said)
    ours, theirs = (loupe.trace(model, text, target=said) for text in (clean, corrupt))
    partner = {0: 0} | {at: at - 1 for at in range(2, len(ours.tokens.source))}
    name, held = "encoder.layers.1.self_attn.heads", "encoder.layers.0.self_attn.heads"
    words = model.info.tokenizers.target
    ids = [words.encode(word).ids[0] for word in ("il", "elle")]
    for head in range(model.model.config.n_heads):
        new = ours[name].clone()
        for at, of in partner.items():
            new[:, head, at] = theirs[name][:, head, of]
        edits = {name: lambda _, new=new: new, held: lambda _: ours[held]}
        sent = loupe.trace(model, clean, target=said, edits=edits)
        put = {receiver: lambda _, sent=sent: sent[receiver.partition("[")[0]][:, 3]}
        answer, other = loupe.trace(model, clean, target=said, edits=put)["logits"][0, -1, ids]
        row = found.labels[0].index(name)
        by_hand = float(answer - other) - found.before
        assert float(found.values[row, head]) == pytest.approx(by_hand, abs=1e-4)
    assert found.values[row].abs().max() > 0.05


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"to": "decoder.layers.1.output"}, "to must be 'logits', or name queries, .*got 'dec"),
        ({"to": "output"}, "to must be 'logits', or name queries, keys or values, .*got 'output'"),
        ({"to": ["logits", RECEIVERS[0]]}, "to must be 'logits', or name .*got 'logits'"),
        ({"to": []}, r"to must be 'logits' or name at least one receiver, got \[\]"),
        ({"to": ()}, r"at least one receiver, got \(\)"),
        ({"to": "decoder.layers.1.self_attn.query[7]"}, "has heads 0 to 3, got"),
        ({"to": "decoder.layers.7.self_attn.query[0]"}, "no tensor is called"),
        ({"to": RECEIVERS[0], "at": [14]}, "at must hold positions from -14 to 13, got 14"),
        ({"to": RECEIVERS, "at": [0, -15]}, "at must hold positions from -14 to 13, got -15"),
        ({"to": RECEIVERS[0], "at": []}, "at must hold at least one position"),
        ({"at": [0]}, "at needs a query, .* as the receiver, got to='logits'"),
    ],
)
def test_what_cannot_receive_is_said(ours, given, said) -> None:
    with pytest.raises(ValueError, match=said):
        loupe.path_patch(ours, CLEAN, CORRUPT, NAMES, **given)


def test_positions_are_those_of_what_receives() -> None:
    """A key of cross-attention has the positions of the source, a query those of the target."""
    model = load_shipped("everyday-paper-0")
    clean, corrupt = "the cat sleeps .", "the dog sleeps ."
    ask = partial(loupe.path_patch, model, clean, corrupt, "le", target="le chat dort et le")
    name = "decoder.layers.1.cross_attn.{}[0]"
    sizes = [
        loupe.trace(model, clean, target="le chat dort et le")[name.format(read)[:-3]].size(-2)
        for read in ("key", "query")
    ]
    assert sizes == [5, 6]
    for read, size in zip(("key", "query"), sizes, strict=True):
        assert ask(to=name.format(read), at=[size - 1]).values.isfinite().all()
        with pytest.raises(ValueError, match=f"positions from -{size} to {size - 1}, got {size}"):
            ask(to=name.format(read), at=[size])
